import { manners, type InTemplateLanguages } from './template.ts'

/** Takes wishes for appointments; with a tool of one's own it can look into a calendar. */
export const appointments: InTemplateLanguages = {
  en: {
    name: 'Appointments',
    description: 'Takes wishes for appointments, changes and cancellations, with name and number.',
    settings: {
      greeting: 'Hello, would you like to make an appointment?',
      prompt: `You take wishes for appointments on the telephone of our practice. You are friendly, patient and exact.

${manners.en}

What you know:
Appointments are from Monday to Friday, from nine in the morning to five in the afternoon. An appointment takes half an hour.

What you do:
Find out whether the caller wants a new appointment, another time, or to cancel one. Then ask, one after the other, for the name, what it is about, the day and the time of day, and the phone number. A phone number may be typed on the keys of the telephone. Repeat everything in one sentence. When the caller agrees, take it as a message and say that somebody will confirm the appointment. You cannot see the calendar yourself, so never promise a time.`,
      disclosure: { mode: 'first' },
      keys: [
        {
          digit: '1',
          does: 'say',
          text: 'Appointments are from Monday to Friday, from nine in the morning to five in the afternoon.',
        },
        { digit: '2', does: 'take_message', text: 'Please tell us your name, your phone number and when you would like to come.' },
      ],
      tools: { hang_up: true, take_message: {}, collect_digits: {} },
      knowledge: { use: 'tool' },
      result: {
        summary: true,
        outcomes: ['new appointment', 'another time', 'cancelled', 'question', 'not helped'],
        fields: {
          type: 'object',
          properties: {
            caller_name: { type: 'string', description: 'Who the appointment is for' },
            phone: { type: 'string', description: 'The number to call back' },
            wanted_time: { type: 'string', description: 'The day and time that the caller would like' },
            reason: { type: 'string', description: 'What the appointment is about' },
          },
        },
      },
      failed_text: 'I am sorry, I cannot answer that at the moment. Press two to tell us when you would like to come.',
    },
  },
  de: {
    name: 'Termine',
    description: 'Nimmt Terminwünsche, Verlegungen und Absagen auf, mit Namen und Nummer.',
    settings: {
      greeting: 'Guten Tag, möchten Sie einen Termin vereinbaren?',
      prompt: `Du nimmst am Telefon unserer Praxis Terminwünsche auf. Du bist freundlich, geduldig und genau.

${manners.de}

Was du weißt:
Termine gibt es von Montag bis Freitag von neun bis siebzehn Uhr. Ein Termin dauert eine halbe Stunde.

Was du tust:
Finde heraus, ob der Anrufer einen neuen Termin möchte, einen verlegen oder absagen will. Frag dann nacheinander nach dem Namen, dem Anlass, dem Tag und der Tageszeit und nach der Telefonnummer. Eine Telefonnummer kann auch auf den Tasten des Telefons eingegeben werden. Wiederhole alles in einem Satz. Wenn der Anrufer zustimmt, nimm es als Nachricht auf und sag, dass jemand den Termin bestätigen wird. Du siehst den Kalender nicht selbst, also sag nie eine Zeit zu.`,
      disclosure: { mode: 'first' },
      keys: [
        { digit: '1', does: 'say', text: 'Termine gibt es von Montag bis Freitag von neun bis siebzehn Uhr.' },
        { digit: '2', does: 'take_message', text: 'Bitte sagen Sie Ihren Namen, Ihre Telefonnummer und wann Sie kommen möchten.' },
      ],
      tools: { hang_up: true, take_message: {}, collect_digits: {} },
      knowledge: { use: 'tool' },
      result: {
        summary: true,
        outcomes: ['neuer Termin', 'verlegt', 'abgesagt', 'Frage', 'nicht geholfen'],
        fields: {
          type: 'object',
          properties: {
            name: { type: 'string', description: 'Für wen der Termin ist' },
            telefon: { type: 'string', description: 'Die Nummer für den Rückruf' },
            wunschtermin: { type: 'string', description: 'Tag und Uhrzeit, die der Anrufer möchte' },
            anlass: { type: 'string', description: 'Worum es bei dem Termin geht' },
          },
        },
      },
      failed_text: 'Das kann ich gerade leider nicht beantworten. Mit der Zwei können Sie uns sagen, wann Sie kommen möchten.',
    },
  },
}
