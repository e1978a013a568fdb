import { words } from '#words/languages.ts'

export const text = words({
  en: {
    account: 'Account',
    chooseAccount: 'Choose an account',
    noAccount: 'No matching account',
    looking: 'Searching …',
    everyAccount: 'All accounts',
    edit: 'Edit',
    remove: 'Delete',
    save: 'Save',
    saved: 'Saved',
    actionsFor: (name: string) => `Actions for ${name}`,
  },
  de: {
    account: 'Konto',
    chooseAccount: 'Konto auswählen',
    noAccount: 'Kein passendes Konto',
    looking: 'Wird gesucht …',
    everyAccount: 'Alle Konten',
    edit: 'Bearbeiten',
    remove: 'Löschen',
    save: 'Speichern',
    saved: 'Gespeichert',
    actionsFor: (name: string) => `Aktionen für ${name}`,
  },
})
