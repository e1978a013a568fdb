import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Undelivered',
    description: 'Emails and messages to carriers and customers that could not be delivered after all attempts. Stored for 30 days.',
    list: 'Undelivered messages',
    none: 'Everything was delivered',
    noneHint: 'Messages that could not be delivered after all attempts appear here.',
    kind: 'Type',
    kinds: { mail: 'Email', carrier: 'To a carrier', session_end: 'End of a session', call_notice: 'Call webhook' },
    attempts: 'Attempts',
    error: 'Error',
    created: 'Created',
    installation: 'The installation',
    revive: 'Try again',
    revived: 'Trying again',
  },
  de: {
    title: 'Nicht zugestellt',
    description:
      'E-Mails und Nachrichten an Anbieter und Kunden, die nach allen Versuchen nicht zustellbar waren. Sie werden 30 Tage gespeichert.',
    list: 'Nicht zugestellte Nachrichten',
    none: 'Alles wurde zugestellt',
    noneHint: 'Nachrichten, die nach allen Versuchen nicht zustellbar waren, erscheinen hier.',
    kind: 'Art',
    kinds: {
      mail: 'E-Mail',
      carrier: 'An einen Anbieter',
      session_end: 'Ende einer Sitzung',
      call_notice: 'Anruf-Webhook',
    },
    attempts: 'Versuche',
    error: 'Fehler',
    created: 'Erstellt',
    installation: 'Die Installation',
    revive: 'Erneut versuchen',
    revived: 'Wird erneut versucht',
  },
})
