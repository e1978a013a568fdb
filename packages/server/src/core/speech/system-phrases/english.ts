import type { SystemPhrases } from './system-phrases.ts'

export const english: SystemPhrases = {
  retry: 'Sorry, I did not get that. Please say it again.',
  nobodyThere: 'Sorry, nobody can be reached there at the moment.',
  goodbye: 'We are sorry, this service is not available at the moment. Please call again later.',
  stillThere: 'Are you still there?',
  fillers: ['One moment, please.', 'Just a second.', 'Still working on it.', 'Thank you for waiting.'],
  warmTransfer: {
    callForYou: 'There is a call for you.',
    question: 'To take it, press one, or say yes. To decline, press two, or say no. Do you take the call?',
  },
  answers: {
    yes: 'yes yeah yep yup sure okay ok alright accept connect ahead course',
    no: 'no nope nah not decline don’t can’t later never',
    beside:
      'please thanks thank you i do will i’ll take it the call them him her through put of well go all right one two now today at moment me',
  },
}
