import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Call webhooks',
    lead: 'Your own software learns about every call before any phone rings and can decide what happens: let it ring, call someone else, play a message, ask for digits or reject the call.',
    toNotices: 'Webhook log',
    notBooked: 'Not included in your plan',
    notBookedBody: 'Ask your operator to enable “Call webhooks” for your account. Until then, your software is not told about calls.',
    addresses: 'Addresses of your software',
    addressesHint:
      'Each call is sent there by POST; your software answers with XML. A line can have its own addresses, which take precedence. Emergency calls are never sent.',
    whenEmpty: 'If empty, nothing is sent.',
    format: 'Format of the body',
    formatHint: 'JSON can be verified by libraries of Standard Webhooks.',
    formats: { form: 'Form', json: 'JSON' },
    which: 'Which calls',
    whichOnes: { all: 'All, including calls of assistants', some: 'Only certain lines and groups' },
    chosen: 'Lines and groups',
    chosenHint: 'If nothing is selected, no calls are sent to these addresses.',
    lines: 'Phone lines',
    groups: 'Groups',
    gone: 'No longer available',
    log: 'Keep a log',
    logHint: 'The last 200 requests and responses, including callers’ numbers, for 7 days.',
    secrets: {
      about:
        'With a signing secret, each request also carries webhook-id, webhook-timestamp and webhook-signature (Standard Webhooks). They prove when it was sent and that it is not a replay.',
      emptyTitle: 'Signed with the installation’s key only',
      empty: 'That proves who sent a request, but not when. Create a signing secret to protect yourself against replayed requests.',
      removeLast: 'This is the last one: requests will then be signed with the installation’s key only.',
    },
    publicKey: 'Public key of this installation',
    publicKeyHint: 'The X-Svc-Signature header is the RSA-SHA256 signature (PKCS #1 v1.5) of the body in base64. Verify it with this key.',
    copyKey: 'Copy key',
    copied: 'Copied',
  },
  de: {
    title: 'Anruf-Webhooks',
    lead: 'Deine eigene Software erfährt von jedem Anruf, bevor es klingelt, und kann entscheiden, was passiert: klingeln lassen, jemand anderen anrufen, etwas abspielen, Ziffern abfragen oder ablehnen.',
    toNotices: 'Webhook-Protokoll',
    notBooked: 'In deinem Tarif nicht enthalten',
    notBookedBody:
      'Bitte deinen Betreiber, „Anruf-Webhooks“ für dein Konto freizuschalten. Bis dahin erfährt deine Software nichts von Anrufen.',
    addresses: 'Adressen deiner Software',
    addressesHint:
      'Jeder Anruf wird dorthin per POST gemeldet; deine Software antwortet mit XML. Ein Anschluss kann eigene Adressen haben, die Vorrang haben. Notrufe werden nie gemeldet.',
    whenEmpty: 'Bleibt sie leer, wird nichts gemeldet.',
    format: 'Format des Inhalts',
    formatHint: 'JSON lässt sich mit Bibliotheken für Standard Webhooks prüfen.',
    formats: { form: 'Formular', json: 'JSON' },
    which: 'Welche Anrufe',
    whichOnes: { all: 'Alle, auch die von Assistenten', some: 'Nur die bestimmter Anschlüsse und Gruppen' },
    chosen: 'Anschlüsse und Gruppen',
    chosenHint: 'Ist nichts ausgewählt, wird kein Anruf an diese Adressen gemeldet.',
    lines: 'Anschlüsse',
    groups: 'Gruppen',
    gone: 'Nicht mehr vorhanden',
    log: 'Protokoll führen',
    logHint: 'Die letzten 200 Anfragen und Antworten, mit den Nummern der Anrufer, für 7 Tage.',
    secrets: {
      about:
        'Mit einem Signaturschlüssel trägt jede Anfrage auch webhook-id, webhook-timestamp und webhook-signature (Standard Webhooks). Sie belegen, wann die Anfrage gesendet wurde und dass sie keine Wiederholung ist.',
      emptyTitle: 'Nur mit dem Schlüssel der Installation signiert',
      empty:
        'Das belegt, von wem eine Anfrage stammt, aber nicht, wann sie gesendet wurde. Ein Signaturschlüssel schützt dich vor wiederholten Anfragen.',
      removeLast: 'Das ist der letzte: Danach wird nur noch mit dem Schlüssel der Installation signiert.',
    },
    publicKey: 'Öffentlicher Schlüssel dieser Installation',
    publicKeyHint:
      'Der Header X-Svc-Signature enthält die RSA-SHA256-Signatur (PKCS #1 v1.5) des Inhalts in Base64. Mit diesem Schlüssel prüfst du sie.',
    copyKey: 'Schlüssel kopieren',
    copied: 'Kopiert',
  },
})
