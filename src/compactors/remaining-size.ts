import type { RunningMetrics } from "../tokens/metrics.js";
import type { Pass } from "./pass.js";

/**
 * What is left of a conversation while a pass shortens it, and whether that is little enough.
 *
 * Every question costs the same, however long the conversation is.
 */
export class RemainingSize {
  readonly #pass: Pass;
  #tokens: number;
  /** A number of tokens needs no other size. */
  readonly #metrics: RunningMetrics | undefined;

  constructor(pass: Pass) {
    const { measured, goal } = pass;
    this.#pass = pass;
    this.#tokens = measured.total;
    this.#metrics = goal.tokens === undefined ? measured.metrics() : undefined;
  }

  /** A number of tokens may be looked at before anything went; any other goal is asked after a removal. */
  isEnoughAtFirst(): boolean {
    return this.#metrics === undefined && this.isEnough();
  }

  isEnough(): boolean {
    const { tokens, holds } = this.#pass.goal;
    return this.#metrics === undefined
      ? this.#tokens <= tokens!
      : holds(this.#metrics);
  }

  /** Takes a message of the conversation out. */
  remove(index: number): void {
    this.#tokens -= this.#pass.measured.countAt(index);
    this.#metrics?.remove(index);
  }

  /** Takes so many tokens out of a message that stays. */
  shrink(tokens: number): void {
    this.#tokens -= tokens;
    this.#metrics?.shrink(tokens);
  }

  /** Takes a message of ours in; one from the model is a step. */
  add(tokens: number, isStep = false): void {
    this.#tokens += tokens;
    this.#metrics?.add(tokens, isStep);
  }
}
