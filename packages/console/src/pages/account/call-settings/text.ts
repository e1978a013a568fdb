import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Call webhooks',
    lead: 'Your own software is told about every call before anybody rings, and may decide what becomes of it: let it ring, dial somebody else, play something, ask for keys, refuse it.',
    toNotices: 'Webhook log',
    notBooked: 'Not booked for your account',
    notBookedBody: 'Your operator has to book the feature “Call webhooks” for your account. Until then no software hears of calls.',
    addresses: 'Addresses of your software',
    addressesHint:
      'Each call is sent there by POST with the fields of a form; the answer is XML. A line can have addresses of its own, which stand before these. Emergency calls are never sent.',
    whenEmpty: 'Left empty, nothing is sent.',
    which: 'Which calls',
    whichOnes: { all: 'All, also those of assistants', some: 'Only those of some lines and groups' },
    chosen: 'Lines and groups',
    chosenHint: 'With nothing chosen, no call is sent to these addresses.',
    lines: 'Phone lines',
    groups: 'Groups',
    gone: 'Not there any more',
    log: 'Keep a log',
    logHint: 'The last 200 requests and answers, with the numbers of callers, for 7 days.',
    secrets: {
      about:
        'With a secret, each request also carries webhook-id, webhook-timestamp and webhook-signature (Standard Webhooks), which prove when it was sent and that it was not sent twice.',
      emptyTitle: 'Only the key of the installation signs',
      empty: 'That proves who sent a request, but not when. Create a secret if old requests must not be passed off as new ones.',
      removeLast: 'It is the only one: from then on only the key of the installation signs.',
    },
    publicKey: 'Public key of the installation',
    publicKeyHint: 'X-Svc-Signature of each request is the base64 of RSA-SHA256 (PKCS #1 v1.5) over its body. This key proves it.',
    copyKey: 'Copy key',
    copied: 'Copied',
  },
  de: {
    title: 'Anruf-Webhooks',
    lead: 'Deine eigene Software erfährt von jedem Anruf, bevor es irgendwo klingelt, und kann entscheiden, was aus ihm wird: klingeln lassen, jemand anderen anrufen, etwas abspielen, Tasten abfragen, ablehnen.',
    toNotices: 'Webhook-Protokoll',
    notBooked: 'Für dein Konto nicht gebucht',
    notBookedBody: 'Dein Betreiber muss die Leistung „Anruf-Webhooks“ für dein Konto buchen. Bis dahin erfährt keine Software von Anrufen.',
    addresses: 'Adressen deiner Software',
    addressesHint:
      'Jeder Anruf wird dorthin per POST mit den Feldern eines Formulars gemeldet; die Antwort ist XML. Ein Anschluss kann eigene Adressen haben, die vor diesen gelten. Notrufe werden nie gemeldet.',
    whenEmpty: 'Bleibt sie leer, wird nichts gemeldet.',
    which: 'Welche Anrufe',
    whichOnes: { all: 'Alle, auch die von Assistenten', some: 'Nur die einiger Anschlüsse und Gruppen' },
    chosen: 'Anschlüsse und Gruppen',
    chosenHint: 'Ist nichts gewählt, wird kein Anruf an diese Adressen gemeldet.',
    lines: 'Anschlüsse',
    groups: 'Gruppen',
    gone: 'Nicht mehr vorhanden',
    log: 'Protokoll führen',
    logHint: 'Die letzten 200 Anfragen und Antworten, mit den Nummern der Anrufenden, für 7 Tage.',
    secrets: {
      about:
        'Mit einem Geheimnis trägt jede Anfrage auch webhook-id, webhook-timestamp und webhook-signature (Standard Webhooks). Sie belegen, wann sie gesendet wurde und dass sie nicht wiederholt wird.',
      emptyTitle: 'Nur der Schlüssel der Installation signiert',
      empty:
        'Das belegt, von wem eine Anfrage ist, aber nicht, von wann. Lege ein Geheimnis an, wenn alte Anfragen nicht als neue gelten dürfen.',
      removeLast: 'Es ist das einzige: Danach signiert nur noch der Schlüssel der Installation.',
    },
    publicKey: 'Öffentlicher Schlüssel der Installation',
    publicKeyHint:
      'X-Svc-Signature jeder Anfrage ist RSA-SHA256 (PKCS #1 v1.5) über ihren Inhalt, in Base64. Mit diesem Schlüssel prüfst du sie.',
    copyKey: 'Schlüssel kopieren',
    copied: 'Kopiert',
  },
})
