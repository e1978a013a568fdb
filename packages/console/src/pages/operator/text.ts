import { words } from '../../words/languages.ts'

export const text = words({
  en: {
    account: 'Account',
    chooseAccount: 'Choose an account',
    noAccount: 'No account fits',
    looking: 'Looking …',
    noAmount: (example: string) => `Write an amount such as ${example}, with four decimals at most`,
    everyAccount: 'All accounts',
    edit: 'Edit',
    remove: 'Delete',
    save: 'Save',
    saved: 'Saved',
    actionsFor: (name: string) => `Actions for ${name}`,
  },
  de: {
    account: 'Konto',
    chooseAccount: 'Konto wählen',
    noAccount: 'Kein Konto passt',
    looking: 'Wird gesucht …',
    noAmount: (example: string) => `Schreib einen Betrag wie ${example}, mit höchstens vier Nachkommastellen`,
    everyAccount: 'Alle Konten',
    edit: 'Bearbeiten',
    remove: 'Löschen',
    save: 'Speichern',
    saved: 'Gespeichert',
    actionsFor: (name: string) => `Aktionen für ${name}`,
  },
})
