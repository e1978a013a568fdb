import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Audit log',
    lead: 'Who changed what in your account. Entries cannot be altered or removed unnoticed.',
    list: 'Entries',
    none: 'No entries yet',
    noneHint: 'Everything that affects the security and the costs of your account is recorded here.',
  },
  de: {
    title: 'Protokoll',
    lead: 'Wer was in deinem Konto geändert hat. Einträge lassen sich nicht unbemerkt ändern oder entfernen.',
    list: 'Einträge',
    none: 'Noch keine Einträge',
    noneHint: 'Hier steht alles, was die Sicherheit und die Kosten deines Kontos betrifft.',
  },
})
