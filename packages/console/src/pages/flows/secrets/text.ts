import { words } from '#words/languages.ts'

export const text = words({
  en: {
    about:
      'Each event carries a signature (Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature) made with every secret below. The endpoint checks it to know that an event is from here.',
    emptyTitle: 'Events are not signed',
    empty: 'Without a secret the endpoint cannot tell whether an event is really from here. Create one.',
    removeLast: 'It is the only one: events will not be signed any more.',
  },
  de: {
    about:
      'Jedes Ereignis trägt eine Signatur (Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature) mit jedem dieser Signaturschlüssel. Der Endpunkt prüft sie, um zu wissen, dass ein Ereignis von hier ist.',
    emptyTitle: 'Ereignisse werden nicht signiert',
    empty: 'Ohne Signaturschlüssel kann der Endpunkt nicht erkennen, ob ein Ereignis wirklich von hier ist. Lege einen an.',
    removeLast: 'Es ist der einzige: Ereignisse werden dann nicht mehr signiert.',
  },
})
