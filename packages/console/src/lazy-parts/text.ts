import { words } from '../words/languages.ts'

export const text = words({
  en: {
    ofWhom: 'Person',
    noAmount: (example: string) => `Enter an amount such as ${example}, with up to four decimals`,
  },
  de: {
    ofWhom: 'Person',
    noAmount: (example: string) => `Gib einen Betrag wie ${example} ein, mit höchstens vier Nachkommastellen`,
  },
})
