import type { SystemPhrases } from './system-phrases.ts'

export const spanish: SystemPhrases = {
  retry: 'Perdone, no le he entendido. ¿Puede repetirlo, por favor?',
  nobodyThere: 'Lo siento, en este momento no hay nadie disponible.',
  goodbye: 'Lo sentimos, este servicio no está disponible en este momento. Por favor, vuelva a llamar más tarde.',
  stillThere: '¿Sigue usted ahí?',
  fillers: ['Un momento, por favor.', 'Lo estoy mirando.', 'Enseguida lo tengo.', 'Gracias por esperar.'],
  warmTransfer: {
    callForYou: 'Hay una llamada para usted.',
    question: 'Para aceptarla, pulse uno, o diga sí. Para rechazarla, pulse dos, o diga no. ¿Acepta la llamada?',
  },
  answers: {
    yes: 'sí claro vale acepto aceptar okay ok adelante supuesto acuerdo',
    no: 'no rechazar rechazo nunca luego imposible',
    beside: 'por favor gracias la llamada que uno dos ahora puedo hoy más tarde de',
  },
}
