import {
  bareOverhead,
  type Calibration,
  requestTokens,
} from "../tokens/calibration.js";
import {
  counterFactor,
  LARGEST_FACTOR,
  LOOKED_AT,
  type ReportedRequest,
} from "./counter-factor.js";
import { type ReportedSize, votedCalibration } from "./vote.js";

/**
 * What a request holds besides its messages, and how the counter is off, by the reports on replies.
 *
 * A history may hold reports on requests that its view never made: another
 * agent's, or those of the time before the view.
 */
export class ViewCalibration {
  readonly #inputWindow: number;
  readonly #knownOverhead: number;
  /** Of the newest reports, at most three; the first may be what a compaction found. */
  #sizes: readonly ReportedSize[] = [];
  /** What the newest were reports on, since the list was last compacted. */
  #requests: readonly ReportedRequest[] = [];
  #hasReport = false;
  /** As an earlier rewrite found them. */
  readonly #foundOverhead: number | undefined;
  #found: Calibration | undefined;
  /** What the newest compaction went by, for as long as reports since are too few to correct the counter. */
  #before: Calibration | undefined;

  /**
   * @param knownOverhead tokens, as far as is known before any report
   * @param foundOverhead tokens, as an earlier rewrite found them
   */
  constructor(
    inputWindow: number,
    knownOverhead: number,
    foundOverhead: number | undefined,
  ) {
    this.#inputWindow = inputWindow;
    this.#knownOverhead = knownOverhead;
    this.#foundOverhead = foundOverhead;
    if (foundOverhead !== undefined) {
      this.#sizes = [{ tokens: foundOverhead, counted: 0 }];
    }
  }

  /** Whether any report tells; otherwise the request is what is known of it now, whatever it was before. */
  get isReported(): boolean {
    return this.#hasReport || this.#foundOverhead !== undefined;
  }

  get found(): Calibration {
    return (this.#found ??= this.isReported
      ? votedCalibration(
          this.#sizes,
          counterFactor(this.#requests),
          this.#inputWindow,
        )
      : { counterFactor: 1, overheadTokens: this.#knownOverhead });
  }

  /** Goes by a report on a request whose messages are known: it outweighs every other. */
  takeOwn(request: ReportedRequest, size: ReportedSize): void {
    this.#take(request, [size, size]);
  }

  /**
   * Goes by a report where it fits what was shown at least as well as the whole
   * history; before any report was taken, also where that would be no more than
   * 1/4 of the window off. One that is far off the two before it is outvoted;
   * one on a request so small that no counter is that far off is on another.
   *
   * @param historyTokens of the whole history, the reply included, as counted
   */
  take(
    request: ReportedRequest,
    size: ReportedSize,
    historyTokens: number,
  ): void {
    const { tokens, counted } = size;
    const by = this.#before ?? this.found;
    const offShown = Math.abs(tokens - requestTokens(by, counted));
    const offHistory = Math.abs(tokens - requestTokens(by, historyTokens));
    const isPlausible = !this.#hasReport && offShown <= this.#inputWindow / 4;
    const isPossible = LARGEST_FACTOR * tokens >= counted;
    if (isPossible && (offShown <= offHistory || isPlausible)) {
      this.#take(request, [...this.#sizes.slice(-2), size]);
    }
  }

  /** Takes into account that the list was compacted: what was found stands until new reports come. */
  compacted(calibration: Calibration, counted: number): void {
    const tokens = bareOverhead(calibration, counted);
    this.#sizes = [{ tokens, counted: 0 }];
    this.#requests = [];
    this.#found = undefined;
    this.#before = calibration.counterFactor === 1 ? undefined : calibration;
  }

  #take(request: ReportedRequest, sizes: readonly ReportedSize[]): void {
    this.#sizes = sizes;
    this.#requests = [...this.#requests.slice(1 - LOOKED_AT), request];
    this.#hasReport = true;
    this.#found = undefined;
    if (this.#requests.length > 2) {
      this.#before = undefined;
    }
  }
}
