import { words } from '#words/languages.ts'

export const text = words({
  en: {
    about:
      'Each event is signed with every secret below (Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature). Your endpoint verifies the signature to make sure that an event really comes from here.',
    emptyTitle: 'Events are not signed',
    empty: 'Without a secret, your endpoint cannot tell whether an event really comes from here. Create one.',
    removeLast: 'This is the last one: events will no longer be signed.',
  },
  de: {
    about:
      'Jedes Ereignis wird mit jedem dieser Schlüssel signiert (Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature). Dein Endpunkt prüft die Signatur, um sicher zu sein, dass ein Ereignis wirklich von hier kommt.',
    emptyTitle: 'Ereignisse werden nicht signiert',
    empty: 'Ohne Signaturschlüssel kann dein Endpunkt nicht erkennen, ob ein Ereignis wirklich von hier kommt. Lege einen an.',
    removeLast: 'Das ist der letzte: Ereignisse werden dann nicht mehr signiert.',
  },
})
