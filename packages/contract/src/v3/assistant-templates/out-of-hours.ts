import { manners, type InTemplateLanguages } from './template.ts'

/** Says when somebody is there again, takes messages, tells what is urgent. */
export const outOfHours: InTemplateLanguages = {
  en: {
    name: 'Out of hours',
    description: 'Says when you are open again, takes messages and notes what is urgent.',
    settings: {
      greeting: 'Hello, our office is closed at the moment. May I take a message?',
      prompt: `You answer the telephone of our company when nobody is there. You are friendly and brief.

${manners.en}

What you know:
We are open from Monday to Friday, from nine in the morning to five in the afternoon. We call back on the next working day.

What you do:
Take a message: ask, one after the other, for the name, the phone number and what it is about, and whether it is urgent. Repeat the phone number. Then say that we will call back. If somebody is in danger, tell them to hang up and dial the emergency number.`,
      disclosure: { mode: 'first' },
      keys: [
        { digit: '1', does: 'say', text: 'We are open from Monday to Friday, from nine in the morning to five in the afternoon.' },
        { digit: '2', does: 'take_message', text: 'Please tell us your name, your phone number and what it is about.' },
      ],
      tools: { hang_up: true, take_message: {}, collect_digits: {} },
      knowledge: { use: 'tool' },
      result: {
        summary: true,
        outcomes: ['message taken', 'answered', 'urgent', 'no message'],
        fields: {
          type: 'object',
          properties: {
            caller_name: { type: 'string', description: 'Who called' },
            phone: { type: 'string', description: 'The number to call back' },
            topic: { type: 'string', description: 'What it was about, in a few words' },
            urgent: { type: 'boolean', description: 'The caller said that it cannot wait' },
          },
        },
      },
      failed_text: 'I am sorry, I cannot answer that at the moment. Press two to leave a message.',
    },
  },
  de: {
    name: 'Außerhalb der Zeiten',
    description: 'Sagt, wann ihr wieder da seid, nimmt Nachrichten auf und vermerkt, was eilt.',
    settings: {
      greeting: 'Guten Tag, unser Büro ist gerade geschlossen. Darf ich eine Nachricht aufnehmen?',
      prompt: `Du gehst ans Telefon unseres Unternehmens, wenn niemand da ist. Du bist freundlich und fasst dich kurz.

${manners.de}

Was du weißt:
Wir haben von Montag bis Freitag von neun bis siebzehn Uhr geöffnet. Wir rufen am nächsten Werktag zurück.

Was du tust:
Nimm eine Nachricht auf: Frag nacheinander nach dem Namen, der Telefonnummer, worum es geht und ob es eilt. Wiederhole die Telefonnummer. Sag dann, dass wir zurückrufen. Wenn jemand in Gefahr ist, sag, dass er auflegen und den Notruf wählen soll.`,
      disclosure: { mode: 'first' },
      keys: [
        { digit: '1', does: 'say', text: 'Wir haben von Montag bis Freitag von neun bis siebzehn Uhr geöffnet.' },
        { digit: '2', does: 'take_message', text: 'Bitte sagen Sie Ihren Namen, Ihre Telefonnummer und worum es geht.' },
      ],
      tools: { hang_up: true, take_message: {}, collect_digits: {} },
      knowledge: { use: 'tool' },
      result: {
        summary: true,
        outcomes: ['Nachricht aufgenommen', 'beantwortet', 'dringend', 'keine Nachricht'],
        fields: {
          type: 'object',
          properties: {
            name: { type: 'string', description: 'Wer angerufen hat' },
            telefon: { type: 'string', description: 'Die Nummer für den Rückruf' },
            thema: { type: 'string', description: 'Worum es ging, in wenigen Worten' },
            dringend: { type: 'boolean', description: 'Der Anrufer sagte, dass es nicht warten kann' },
          },
        },
      },
      failed_text: 'Das kann ich gerade leider nicht beantworten. Mit der Zwei können Sie eine Nachricht hinterlassen.',
    },
  },
}
