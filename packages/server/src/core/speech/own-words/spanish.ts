import type { OwnWords } from './own-words.ts'

export const spanish: OwnWords = {
  retry: 'Perdone, no le he entendido. ¿Puede repetirlo, por favor?',
  nobodyThere: 'Lo siento, en este momento no hay nadie disponible.',
  goodbye: 'Lo sentimos, este servicio no está disponible en este momento. Por favor, vuelva a llamar más tarde.',
  stillThere: '¿Sigue usted ahí?',
  fillers: ['Un momento, por favor.', 'Lo estoy mirando.', 'Enseguida lo tengo.', 'Gracias por esperar.'],
  warmTransfer: {
    connecting: 'Un momento, por favor, le paso la llamada.',
    accept: 'Para atender esta llamada, pulse uno o diga sí.',
    accepted: 'Gracias. Ya están conectados.',
    declined: 'De acuerdo. Adiós.',
    callerGone: 'La persona que llamaba ha colgado. Adiós.',
  },
  yes: [
    'sí',
    'si',
    'sí por favor',
    'si por favor',
    'claro',
    'sí claro',
    'si claro',
    'por supuesto',
    'vale',
    'de acuerdo',
    'okay',
    'ok',
    'adelante',
  ],
  no: ['no', 'no gracias', 'ahora no', 'más tarde', 'no puedo', 'imposible'],
}
