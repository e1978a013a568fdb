import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Undelivered',
    description: 'Mails, messages to carriers and customers that were tried until there was no hope. They are kept for 30 days.',
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
    title: 'Unzustellbar',
    description:
      'E-Mails und Nachrichten an Anbieter und Kunden, die auch nach allen Versuchen nicht zugestellt werden konnten. Sie werden 30 Tage aufbewahrt.',
    list: 'Unzustellbare Nachrichten',
    none: 'Alles wurde zugestellt',
    noneHint: 'Was nach vielen Versuchen nicht zustellbar ist, steht hier.',
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
