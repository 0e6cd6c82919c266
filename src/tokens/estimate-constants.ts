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
  letter: 0.2,
  wordBase: [
    -0.18, -0.38, 0.6, -0.81, -0.46, -0.32, -0.25, -0.06, 0.59, 0.66, 1.53,
    1.59,
  ],
  accent: 0.46,
  accentedLanguage: 0.5,
  contraction: 0.57,
  randomBase: -0.74,
  randomLetter: 0.86,
  symbolBase: 0.65,
  symbolUnit: 0.21,
  hanPair: 1.7,
  kanaPair: 0.66,
  hanInJapanese: 1.3,
  scriptBases: [
    0, 0.84, 1.15, 0.39, 0.49, 0.29, 0.34, 0.71, -0.03, -0.39, 0.17, 0.46, 0.48,
    0.68, 0.39, 0.32, 0, 0, 0, 0, 0,
  ],
  scriptUnits: [
    1.09, 0.24, 0.07, 1.42, 0.22, 0.38, 0.28, 0.18, 0.4, 0.42, 0.59, 0.54, 0.82,
    0.71, 1.07, 1.7, 1.09, 0.08, 0.01, 0.62, 1.15,
  ],
};
