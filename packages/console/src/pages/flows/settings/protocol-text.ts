import { words } from '#words/languages.ts'

export const text = words({
  en: {
    protocol: 'Which language it speaks',
    groups: { own: 'Made for Offhook', words: 'Of other systems, with words', sound: 'Of other systems, with sound' },
    protocols: {
      offhook: 'Offhook: events and actions',
      twilio: 'Twilio: TwiML',
      conversation_relay: 'Twilio ConversationRelay',
      media_streams: 'Twilio Media Streams',
      vapi: 'Vapi: custom LLM',
      retell: 'Retell: custom LLM',
      jambonz: 'jambonz',
      openai_realtime: 'OpenAI Realtime',
    },
    needs: {
      offhook: 'Needs a webhook or a WebSocket. The SDK speaks it, and so does every program that answers JSON.',
      twilio:
        'Needs a webhook that answers with TwiML. Requests are signed as Twilio does it, with the assistant’s signing secret as the auth token.',
      conversation_relay: 'Needs a WebSocket. It gets words and answers with words, token by token if it likes.',
      media_streams: 'Needs a WebSocket. It gets the caller’s sound and sends sound: µ-law, 8 kHz. Nothing is recognised here.',
      vapi: 'Needs a webhook: the address of a custom LLM, to which chat completions are sent.',
      retell: 'Needs a WebSocket: the address of a custom LLM server.',
      jambonz: 'Needs a WebSocket: the address of a jambonz application.',
      openai_realtime:
        'Needs a WebSocket, such as wss://api.openai.com/v1/realtime?model=…, and the key of the provider below. The model hears and speaks by itself.',
    },
    media: 'What goes to and fro',
    mediaModes: {
      text: 'Words',
      audio: 'Sound instead of words',
      both: 'Words and sound',
    },
    mediaHints: {
      text: 'What callers say is recognised, what the endpoint writes is spoken.',
      audio: 'The WebSocket gets the caller’s sound in binary messages of 20 ms and sends sound back. Nothing is recognised.',
      both: 'Callers are recognised as usual, and the WebSocket gets their sound beside the words and may send sound back.',
    },
    format: 'Format of the sound',
    formats: { pcm16: 'PCM, 16 bit, little endian', pcmu: 'µ-law (PCMU)', pcma: 'A-law (PCMA)' },
    rate: 'Samples a second',
    usualRate: (rate: string) => `Default: ${rate}`,
    onlyRate: 'µ-law and A-law have 8000',
  },
  de: {
    protocol: 'Welche Sprache er spricht',
    groups: { own: 'Für Offhook gemacht', words: 'Von anderen Systemen, mit Worten', sound: 'Von anderen Systemen, mit Ton' },
    protocols: {
      offhook: 'Offhook: Ereignisse und Aktionen',
      twilio: 'Twilio: TwiML',
      conversation_relay: 'Twilio ConversationRelay',
      media_streams: 'Twilio Media Streams',
      vapi: 'Vapi: Custom LLM',
      retell: 'Retell: Custom LLM',
      jambonz: 'jambonz',
      openai_realtime: 'OpenAI Realtime',
    },
    needs: {
      offhook: 'Braucht einen Webhook oder einen WebSocket. Das SDK spricht sie und jedes Programm, das mit JSON antwortet.',
      twilio:
        'Braucht einen Webhook, der mit TwiML antwortet. Anfragen sind signiert, wie Twilio es tut, mit dem Signaturschlüssel des Assistenten als Auth Token.',
      conversation_relay: 'Braucht einen WebSocket. Er bekommt Worte und antwortet mit Worten, gern Token für Token.',
      media_streams: 'Braucht einen WebSocket. Er bekommt den Ton des Anrufers und schickt Ton: µ-law mit 8 kHz. Hier wird nichts erkannt.',
      vapi: 'Braucht einen Webhook: die Adresse eines Custom LLM, an die Chat Completions gehen.',
      retell: 'Braucht einen WebSocket: die Adresse eines Servers für Custom LLM.',
      jambonz: 'Braucht einen WebSocket: die Adresse einer jambonz-Anwendung.',
      openai_realtime:
        'Braucht einen WebSocket, etwa wss://api.openai.com/v1/realtime?model=…, und unten den Schlüssel des Anbieters. Das Modell hört und spricht selbst.',
    },
    media: 'Was hin- und hergeht',
    mediaModes: {
      text: 'Worte',
      audio: 'Ton statt Worten',
      both: 'Worte und Ton',
    },
    mediaHints: {
      text: 'Was Anrufer sagen, wird erkannt; was der Endpunkt schreibt, wird gesprochen.',
      audio: 'Der WebSocket bekommt den Ton des Anrufers in binären Nachrichten von 20 ms und schickt Ton zurück. Nichts wird erkannt.',
      both: 'Anrufer werden wie üblich erkannt; der WebSocket bekommt neben den Worten ihren Ton und darf Ton zurückschicken.',
    },
    format: 'Format des Tons',
    formats: { pcm16: 'PCM, 16 Bit, Little Endian', pcmu: 'µ-law (PCMU)', pcma: 'A-law (PCMA)' },
    rate: 'Abtastwerte je Sekunde',
    usualRate: (rate: string) => `Standard: ${rate}`,
    onlyRate: 'µ-law und A-law haben 8000',
  },
})
