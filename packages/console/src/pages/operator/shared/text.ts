import { words } from '../../../words/languages.ts'

export const text = words({
  en: {
    account: 'Account',
    chooseAccount: 'Choose an account',
    noAccount: 'No account fits',
    everyAccount: 'All accounts',
    more: 'Show more',
    edit: 'Edit',
    remove: 'Delete',
    save: 'Save',
    saved: 'Saved',
    actionsFor: (name: string) => `Actions for ${name}`,
    operator: 'operator',
    user: (id: string) => `user ${id}`,
  },
  de: {
    account: 'Konto',
    chooseAccount: 'Konto wählen',
    noAccount: 'Kein Konto passt',
    everyAccount: 'Alle Konten',
    more: 'Mehr zeigen',
    edit: 'Bearbeiten',
    remove: 'Löschen',
    save: 'Speichern',
    saved: 'Gespeichert',
    actionsFor: (name: string) => `Aktionen für ${name}`,
    operator: 'Betreiber',
    user: (id: string) => `Benutzer ${id}`,
  },
})
