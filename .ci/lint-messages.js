// A rule for oxlint: a message may come from another copy of core, whose
// classes are not ours, so `instanceof` must not decide what it is.
const noInstanceof = {
  create: (context) => ({
    BinaryExpression(node) {
      const isMessageClass = /Message(Chunk)?$/.test(node.right.name ?? "");
      if (node.operator === "instanceof" && isMessageClass) {
        const message = "Use `isInstance` or the message's type.";
        context.report({ node, message });
      }
    },
  }),
};

export default {
  meta: { name: "messages" },
  rules: { "no-instanceof": noInstanceof },
};
