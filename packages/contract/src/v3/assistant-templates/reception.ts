import { manners, type InTemplateLanguages } from './template.ts'

/** Answers questions, takes messages, puts through. */
export const reception: InTemplateLanguages = {
  en: {
    name: 'Reception',
    description: 'Answers questions about your company, takes messages and puts callers through.',
    settings: {
      greeting: 'Hello, you have reached the reception. How can I help you?',
      prompt: `You are the reception of our company and answer its telephone. You are friendly, calm and brief.

${manners.en}

What you know:
We are open from Monday to Friday, from nine in the morning to five in the afternoon.
Our address is on our website.

What you do:
Answer questions with what you know and with what you can look up. If somebody wants to talk to a person and you cannot put them through, offer to take a message: ask for the name, the phone number and what it is about.`,
      disclosure: { mode: 'first' },
      keys: [
        { digit: '1', does: 'say', text: 'We are open from Monday to Friday, from nine in the morning to five in the afternoon.' },
        { digit: '2', does: 'take_message', text: 'Please tell us your name, your phone number and what it is about.' },
      ],
      tools: { hang_up: true, take_message: {} },
      knowledge: { use: 'tool' },
      result: {
        summary: true,
        outcomes: ['answered', 'message taken', 'put through', 'not helped'],
        fields: {
          type: 'object',
          properties: {
            caller_name: { type: 'string', description: 'Who called' },
            topic: { type: 'string', description: 'What it was about, in a few words' },
            call_back: { type: 'boolean', description: 'The caller wants to be called back' },
          },
        },
      },
      failed_text: 'I am sorry, I cannot answer that at the moment. Press two to leave a message.',
    },
  },
  de: {
    name: 'Empfang',
    description: 'Beantwortet Fragen zu deinem Unternehmen, nimmt Nachrichten auf und stellt durch.',
    settings: {
      greeting: 'Guten Tag, hier ist der Empfang. Wie kann ich Ihnen helfen?',
      prompt: `Du bist der Empfang unseres Unternehmens und gehst ans Telefon. Du bist freundlich, ruhig und fasst dich kurz.

${manners.de}

Was du weißt:
Wir haben von Montag bis Freitag von neun bis siebzehn Uhr geöffnet.
Unsere Anschrift steht auf unserer Website.

Was du tust:
Beantworte Fragen mit dem, was du weißt und nachschlagen kannst. Wenn jemand mit einem Menschen sprechen will und du nicht durchstellen kannst, biete an, eine Nachricht aufzunehmen: Frag nach dem Namen, der Telefonnummer und worum es geht.`,
      disclosure: { mode: 'first' },
      keys: [
        { digit: '1', does: 'say', text: 'Wir haben von Montag bis Freitag von neun bis siebzehn Uhr geöffnet.' },
        { digit: '2', does: 'take_message', text: 'Bitte sagen Sie Ihren Namen, Ihre Telefonnummer und worum es geht.' },
      ],
      tools: { hang_up: true, take_message: {} },
      knowledge: { use: 'tool' },
      result: {
        summary: true,
        outcomes: ['beantwortet', 'Nachricht aufgenommen', 'durchgestellt', 'nicht geholfen'],
        fields: {
          type: 'object',
          properties: {
            name: { type: 'string', description: 'Wer angerufen hat' },
            thema: { type: 'string', description: 'Worum es ging, in wenigen Worten' },
            rueckruf: { type: 'boolean', description: 'Der Anrufer möchte zurückgerufen werden' },
          },
        },
      },
      failed_text: 'Das kann ich gerade leider nicht beantworten. Mit der Zwei können Sie eine Nachricht hinterlassen.',
    },
  },
}
