import { randomCharacters } from '../identity/tokens/tokens.ts'

/** Letters and digits only, because people type it into phones; 24 of them are beyond guessing. */
export const newSipPassword = (): string => randomCharacters(24)
