/**
 * What the pieces of a text cost in tokens.
 *
 * A piece costs its base and its units, and never less than one token. A base
 * may be negative: then short pieces are one token.
 */
export interface EstimateConstants {
  /** Each letter of a word. */
  letter: number;
  /**
   * Bases of a word in lower case, capitalised, in upper case: after nothing,
   * after a blank, after a mark that joins, after another mark.
   */
  wordBase: readonly number[];
  /** Each letter with an accent. */
  accent: number;
  /** Each letter in a language all of whose words have accents. */
  accentedLanguage: number;
  contraction: number;
  randomBase: number;
  randomLetter: number;
  symbolBase: number;
  symbolUnit: number;
  /** What two characters that are a common word save. */
  hanPair: number;
  kanaPair: number;
  hanInJapanese: number;
  /** Bases and units by script, in the order of `SCRIPTS`. */
  scriptBases: readonly number[];
  scriptUnits: readonly number[];
}

/** Fitted to o200k by bench/fit-estimate. */
export const ESTIMATE_CONSTANTS: EstimateConstants = {
  letter: 0.14,
  wordBase: [
    0.16, 0.05, 0.72, -0.29, 0.16, -0.25, 0.36, 0.46, 1.04, 1, 1.91, 1.78,
  ],
  accent: 0.19,
  accentedLanguage: 0.53,
  contraction: 0.73,
  randomBase: -0.85,
  randomLetter: 0.89,
  symbolBase: 0.35,
  symbolUnit: 0.34,
  hanPair: 1.78,
  kanaPair: 0.88,
  hanInJapanese: 1.24,
  scriptBases: [
    0, 0.21, 0.65, -0.51, 0.46, -0.04, 0.32, 0.27, -0.16, -0.4, 0.15, 0.25,
    0.02, 1.02, 0.28, -0.33, 0.08, 0.3, -0.9, 0.79, 0.5,
  ],
  scriptUnits: [
    1.09, 0.36, 0.16, 1.61, 0.23, 0.45, 0.29, 0.28, 0.44, 0.43, 0.61, 0.62,
    0.99, 0.78, 1.1, 1.81, 1.44, 0.1, 0.49, 0.87, 1.19,
  ],
};
