import type { SystemPhrases } from './system-phrases.ts'

export const french: SystemPhrases = {
  retry: 'Excusez-moi, je n’ai pas compris. Pouvez-vous répéter, s’il vous plaît ?',
  nobodyThere: 'Je suis désolé, personne n’est joignable pour le moment.',
  goodbye: 'Nous sommes désolés, ce service n’est pas disponible pour le moment. Veuillez rappeler plus tard.',
  stillThere: 'Êtes-vous toujours là ?',
  fillers: ['Un instant, s’il vous plaît.', 'Je regarde.', 'Encore un petit instant.', 'Merci de patienter.'],
  warmTransfer: {
    callForYou: 'Il y a un appel pour vous.',
    question: 'Pour le prendre, tapez un, ou dites oui. Pour le refuser, tapez deux, ou dites non. Prenez-vous cet appel ?',
  },
  answers: {
    yes: 'oui ouais accord accepte accepter okay ok volontiers sûr allez',
    no: 'non pas refuse refuser jamais impossible',
    beside: 'merci s il vous te plaît d bien je j le l prends appel un deux maintenant peux plus tard y',
  },
}
