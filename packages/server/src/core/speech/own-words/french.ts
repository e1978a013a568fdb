import type { OwnWords } from './own-words.ts'

export const french: OwnWords = {
  retry: 'Excusez-moi, je n’ai pas compris. Pouvez-vous répéter, s’il vous plaît ?',
  nobodyThere: 'Je suis désolé, personne n’est joignable pour le moment.',
  goodbye: 'Nous sommes désolés, ce service n’est pas disponible pour le moment. Veuillez rappeler plus tard.',
  stillThere: 'Êtes-vous toujours là ?',
  fillers: ['Un instant, s’il vous plaît.', 'Je regarde.', 'Encore un petit instant.', 'Merci de patienter.'],
  warmTransfer: {
    connecting: 'Un instant, s’il vous plaît, je vous mets en relation.',
    accept: 'Pour prendre cet appel, appuyez sur la touche un ou dites oui.',
    accepted: 'Merci. Vous êtes en ligne.',
    declined: 'C’est noté. Au revoir.',
    callerGone: 'Votre correspondant a raccroché. Au revoir.',
  },
  yes: [
    'oui',
    'oui s’il vous plaît',
    'oui bien sûr',
    'bien sûr',
    'd’accord',
    'oui d’accord',
    'okay',
    'ok',
    'volontiers',
    'allez-y',
    'allez y',
  ],
  no: ['non', 'non merci', 'pas maintenant', 'plus tard', 'impossible'],
}
