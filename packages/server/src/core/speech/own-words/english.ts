import type { OwnWords } from './own-words.ts'

export const english: OwnWords = {
  retry: 'Sorry, I did not get that. Please say it again.',
  nobodyThere: 'Sorry, nobody can be reached there at the moment.',
  goodbye: 'We are sorry, this service is not available at the moment. Please call again later.',
  stillThere: 'Are you still there?',
  fillers: ['One moment, please.', 'Just a second.', 'Still working on it.', 'Thank you for waiting.'],
  warmTransfer: {
    connecting: 'One moment, please, I am connecting you.',
    accept: 'To take this call, press one or say yes.',
    accepted: 'Thank you. You are connected now.',
    declined: 'All right. Goodbye.',
    callerGone: 'The caller has hung up. Goodbye.',
  },
  yes: [
    'yes',
    'yeah',
    'yep',
    'yes please',
    'sure',
    'okay',
    'ok',
    'of course',
    'all right',
    'alright',
    'i will',
    'put them through',
    'go ahead',
  ],
  no: ['no', 'nope', 'no thanks', 'no thank you', 'not now', 'not possible', 'later'],
}
