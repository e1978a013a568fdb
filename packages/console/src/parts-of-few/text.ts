import { words } from '../words/languages.ts'

export const text = words({
  en: {
    ofWhom: 'Whose',
    noAmount: (example: string) => `Write an amount such as ${example}, with four decimals at most`,
  },
  de: {
    ofWhom: 'Von wem',
    noAmount: (example: string) => `Schreib einen Betrag wie ${example}, mit höchstens vier Nachkommastellen`,
  },
})
