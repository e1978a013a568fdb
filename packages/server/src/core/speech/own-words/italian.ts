import type { OwnWords } from './own-words.ts'

export const italian: OwnWords = {
  retry: 'Mi scusi, non ho capito. Può ripetere, per favore?',
  nobodyThere: 'Mi dispiace, al momento non è raggiungibile nessuno.',
  goodbye: 'Ci dispiace, il servizio al momento non è disponibile. La preghiamo di richiamare più tardi.',
  stillThere: 'È ancora in linea?',
  fillers: ['Un momento, per favore.', 'Controllo subito.', 'Ancora un attimo.', 'Grazie per l’attesa.'],
  warmTransfer: {
    connecting: 'Un momento, per favore, la metto in contatto.',
    accept: 'Per rispondere a questa chiamata, prema uno o dica sì.',
    accepted: 'Grazie. Ora siete in linea.',
    declined: 'Va bene. Arrivederci.',
    callerGone: 'Chi chiamava ha riattaccato. Arrivederci.',
  },
  yes: [
    'sì',
    'si',
    'sì grazie',
    'si grazie',
    'certo',
    'sì certo',
    'si certo',
    'certamente',
    'va bene',
    'd’accordo',
    'okay',
    'ok',
    'volentieri',
  ],
  no: ['no', 'no grazie', 'non ora', 'non adesso', 'più tardi', 'non posso'],
}
