import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Audit log',
    lead: 'Who changed what in your account. Nothing in it can be changed or left out unnoticed.',
    list: 'Entries',
    none: 'No entry yet',
    noneHint: 'Everything that concerns the security and the money of your account is written down here.',
  },
  de: {
    title: 'Protokoll',
    lead: 'Wer was in deinem Konto geändert hat. Nichts darin lässt sich unbemerkt ändern oder weglassen.',
    list: 'Einträge',
    none: 'Noch kein Eintrag',
    noneHint: 'Hier steht alles, was die Sicherheit und das Geld deines Kontos betrifft.',
  },
})
