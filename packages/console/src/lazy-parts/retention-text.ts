import type { RetentionKind } from '@offhook/contract/v1/settings/retention.ts'
import { words } from '#words/languages.ts'

const kindsInEnglish: Record<RetentionKind, string> = {
  recordings: 'Recordings of calls',
  voicemail: 'Voicemail messages',
  faxes: 'Documents of faxes',
  timelines: 'Timelines of calls',
  transcripts: 'Transcripts',
  history: 'History entries',
}

/** In display order. */
export const retentionKinds = Object.keys(kindsInEnglish) as RetentionKind[]

const kindsInGerman: Record<RetentionKind, string> = {
  recordings: 'Aufnahmen von Anrufen',
  voicemail: 'Mailbox-Nachrichten',
  faxes: 'Fax-Dokumente',
  timelines: 'Zeitachsen von Anrufen',
  transcripts: 'Transkripte',
  history: 'Einträge im Verlauf',
}

/** Retention periods, for the account and for the operator. */
export const text = words({
  en: {
    title: 'Retention',
    kinds: kindsInEnglish,
    days: (count: number) => (count === 1 ? '1 day' : `${count} days`),
    forever: 'Until deleted',
    notKept: 'Not kept',
  },
  de: {
    title: 'Aufbewahrung',
    kinds: kindsInGerman,
    days: (count: number) => (count === 1 ? '1 Tag' : `${count} Tage`),
    forever: 'Bis sie gelöscht werden',
    notKept: 'Nicht gespeichert',
  },
})
