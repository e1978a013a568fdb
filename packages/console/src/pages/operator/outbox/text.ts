import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Undelivered',
    description: 'Mails, messages to carriers and customers that could not be delivered after all attempts. They are kept for 30 days.',
    list: 'Undelivered messages',
    none: 'Everything was delivered',
    noneHint: 'What cannot be delivered after many attempts is listed here.',
    kind: 'Kind',
    kinds: { mail: 'Email', carrier: 'To a carrier', session_end: 'End of a session', call_notice: 'Notice of a call' },
    attempts: 'Attempts',
    error: 'What went wrong',
    created: 'From',
    installation: 'The installation',
    revive: 'Try again',
    revived: 'It is tried again from the start',
  },
  de: {
    title: 'Nicht zugestellt',
    description:
      'E-Mails und Nachrichten an Anbieter und Kunden, die nach allen Versuchen nicht zustellbar waren. Sie werden 30 Tage aufbewahrt.',
    list: 'Nicht zugestellte Nachrichten',
    none: 'Alles wurde zugestellt',
    noneHint: 'Was nach vielen Versuchen nicht zustellbar ist, erscheint hier.',
    kind: 'Art',
    kinds: {
      mail: 'E-Mail',
      carrier: 'An einen Anbieter',
      session_end: 'Ende einer Sitzung',
      call_notice: 'Nachricht über einen Anruf',
    },
    attempts: 'Versuche',
    error: 'Was schiefging',
    created: 'Von',
    installation: 'Die Installation',
    revive: 'Nochmal versuchen',
    revived: 'Sie wird von vorn versucht',
  },
})
