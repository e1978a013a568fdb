/** Default texts. */
export interface Texts {
  disclosure: string
  failed: string
  notDone: string
  unclear: string
  stillThere: string
  limit: string
  forbidden: string
  transferFailed: string
  leaveMessage: string
  messageTaken: string
  messageFailed: string
  press: (digit: string, what: string) => string
  toTransfer: (name: string) => string
  toMessage: string
  toInformation: string
  toHangUp: string
}

/** The honest sentence in place of a claim, in the languages in which claims are known. */
const notDone = {
  en: 'Sorry, I could not do that. It is not done yet.',
  de: 'Entschuldigung, das konnte ich nicht erledigen. Es ist noch offen.',
  fr: 'Désolé, je n’ai pas pu le faire. Ce n’est pas encore fait.',
  es: 'Lo siento, no he podido hacerlo. Todavía no está hecho.',
  it: 'Mi dispiace, non ho potuto farlo. Non è ancora fatto.',
}

const english: Texts = {
  disclosure: 'You are speaking with an automated assistant.',
  failed: 'Sorry, that did not work. Please say it once more.',
  notDone: notDone.en,
  unclear: 'Sorry, I did not understand you. Could you say that again?',
  stillThere: 'Are you still there?',
  limit: 'I have to end our call now. Thank you for calling. Goodbye.',
  forbidden: 'I am not able to talk about that. Can I help you with something else?',
  transferFailed: 'Sorry, nobody can be reached there right now. Can I help you with something else?',
  leaveMessage: 'Please say your message now.',
  messageTaken: 'Thank you, your message was taken.',
  messageFailed: 'Sorry, your message could not be taken.',
  press: (digit, what) => `${what}, press ${spoken(digit, 'star', 'hash')}.`,
  toTransfer: (name) => `For ${name}`,
  toMessage: 'To leave a message',
  toInformation: 'For more information',
  toHangUp: 'To end the call',
}

const german: Texts = {
  disclosure: 'Sie sprechen mit einem automatischen Assistenten.',
  failed: 'Entschuldigung, das hat nicht geklappt. Bitte sagen Sie es noch einmal.',
  notDone: notDone.de,
  unclear: 'Entschuldigung, ich habe Sie nicht verstanden. Können Sie das noch einmal sagen?',
  stillThere: 'Sind Sie noch da?',
  limit: 'Ich muss unser Gespräch jetzt beenden. Vielen Dank für Ihren Anruf. Auf Wiederhören.',
  forbidden: 'Darüber kann ich nicht sprechen. Kann ich Ihnen sonst helfen?',
  transferFailed: 'Leider ist dort gerade niemand zu erreichen. Kann ich Ihnen sonst helfen?',
  leaveMessage: 'Bitte sprechen Sie jetzt Ihre Nachricht.',
  messageTaken: 'Vielen Dank, Ihre Nachricht ist notiert.',
  messageFailed: 'Ihre Nachricht konnte leider nicht notiert werden.',
  press: (digit, what) => `${what} drücken Sie die ${spoken(digit, 'Sterntaste', 'Rautetaste')}.`,
  toTransfer: (name) => `Für ${name}`,
  toMessage: 'Um eine Nachricht zu hinterlassen,',
  toInformation: 'Für weitere Auskünfte',
  toHangUp: 'Um den Anruf zu beenden,',
}

const spoken = (digit: string, star: string, hash: string): string => (digit === '*' ? star : digit === '#' ? hash : digit)

/** `de` for `de-DE`. */
export const baseOf = (language: string): string => language.split('-')[0]?.toLowerCase() ?? ''

const isKnown = (base: string): base is keyof typeof notDone => Object.hasOwn(notDone, base)

export const textsIn = (language: string): Texts => {
  const base = baseOf(language)
  const texts = base === 'de' ? german : english
  return isKnown(base) ? { ...texts, notDone: notDone[base] } : texts
}
