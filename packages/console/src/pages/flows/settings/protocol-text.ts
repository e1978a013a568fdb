import { words } from '#words/languages.ts'

export const text = words({
  en: {
    protocol: 'Protocol',
    groups: { own: 'Made for Offhook', words: 'Other systems, text', sound: 'Other systems, audio' },
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
      offhook: 'Needs a webhook or a WebSocket. Use the SDK or any program that answers with JSON.',
      twilio:
        'Needs a webhook that answers with TwiML. Requests are signed the way Twilio does, with the assistant’s signing secret as the auth token.',
      conversation_relay: 'Needs a WebSocket. It receives text and answers with text, token by token if you like.',
      media_streams: 'Needs a WebSocket. It receives the caller’s audio and sends audio: µ-law, 8 kHz. There is no speech recognition.',
      vapi: 'Needs a webhook: the address of a custom LLM that receives chat completions.',
      retell: 'Needs a WebSocket: the address of a custom LLM server.',
      jambonz: 'Needs a WebSocket: the address of a jambonz application.',
      openai_realtime:
        'Needs a WebSocket, such as wss://api.openai.com/v1/realtime?model=…, and the key of the provider below. The model itself listens and speaks.',
    },
    media: 'Exchanged data',
    mediaModes: {
      text: 'Text',
      audio: 'Audio instead of text',
      both: 'Text and audio',
    },
    mediaHints: {
      text: 'What callers say is transcribed; what the endpoint writes is spoken.',
      audio: 'The WebSocket receives the caller’s audio in binary messages of 20 ms and sends audio back. There is no speech recognition.',
      both: 'What callers say is transcribed as usual. The WebSocket also receives their audio and may send audio back.',
    },
    format: 'Audio format',
    formats: { pcm16: 'PCM, 16 bit, little endian', pcmu: 'µ-law (PCMU)', pcma: 'A-law (PCMA)' },
    rate: 'Sample rate (Hz)',
    defaultRate: (rate: string) => `Default: ${rate}`,
    onlyRate: 'Always 8000 for µ-law and A-law',
  },
  de: {
    protocol: 'Protokoll',
    groups: { own: 'Für Offhook gemacht', words: 'Andere Systeme, Text', sound: 'Andere Systeme, Ton' },
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
      offhook: 'Braucht einen Webhook oder einen WebSocket. Nutze das SDK oder ein beliebiges Programm, das mit JSON antwortet.',
      twilio:
        'Braucht einen Webhook, der mit TwiML antwortet. Anfragen werden wie bei Twilio signiert, mit dem Signaturschlüssel des Assistenten als Auth-Token.',
      conversation_relay: 'Braucht einen WebSocket. Er bekommt Text und antwortet mit Text, auf Wunsch Token für Token.',
      media_streams:
        'Braucht einen WebSocket. Er bekommt den Ton des Anrufers und sendet Ton: µ-law mit 8 kHz. Es gibt keine Spracherkennung.',
      vapi: 'Braucht einen Webhook: die Adresse eines Custom LLM, an die Chat Completions gehen.',
      retell: 'Braucht einen WebSocket: die Adresse eines Custom-LLM-Servers.',
      jambonz: 'Braucht einen WebSocket: die Adresse einer jambonz-Anwendung.',
      openai_realtime:
        'Braucht einen WebSocket, etwa wss://api.openai.com/v1/realtime?model=…, und unten den Schlüssel des Anbieters. Das Modell hört und spricht selbst.',
    },
    media: 'Ausgetauschte Daten',
    mediaModes: {
      text: 'Text',
      audio: 'Ton statt Text',
      both: 'Text und Ton',
    },
    mediaHints: {
      text: 'Was Anrufer sagen, wird in Text umgewandelt; was der Endpunkt schreibt, wird gesprochen.',
      audio:
        'Der WebSocket bekommt den Ton des Anrufers in binären Nachrichten von 20 ms und sendet Ton zurück. Es gibt keine Spracherkennung.',
      both: 'Was Anrufer sagen, wird wie üblich in Text umgewandelt. Der WebSocket bekommt zusätzlich den Ton und darf Ton zurücksenden.',
    },
    format: 'Tonformat',
    formats: { pcm16: 'PCM, 16 Bit, Little Endian', pcmu: 'µ-law (PCMU)', pcma: 'A-law (PCMA)' },
    rate: 'Abtastrate (Hz)',
    defaultRate: (rate: string) => `Standard: ${rate}`,
    onlyRate: 'Bei µ-law und A-law immer 8000',
  },
})
