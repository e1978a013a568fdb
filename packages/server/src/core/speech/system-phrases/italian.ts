import type { SystemPhrases } from './system-phrases.ts'

export const italian: SystemPhrases = {
  retry: 'Mi scusi, non ho capito. Può ripetere, per favore?',
  nobodyThere: 'Mi dispiace, al momento non è raggiungibile nessuno.',
  goodbye: 'Ci dispiace, il servizio al momento non è disponibile. La preghiamo di richiamare più tardi.',
  stillThere: 'È ancora in linea?',
  fillers: ['Un momento, per favore.', 'Controllo subito.', 'Ancora un attimo.', 'Grazie per l’attesa.'],
  warmTransfer: {
    callForYou: 'C’è una chiamata per lei.',
    question: 'Per accettarla, prema uno, o dica sì. Per rifiutarla, prema due, o dica no. Accetta la chiamata?',
  },
  answers: {
    yes: 'sì certo certamente accetto accettare okay ok volentieri accordo bene',
    no: 'no non rifiuto rifiutare mai dopo impossibile',
    beside: 'grazie per favore prego la chiamata va uno due adesso ora posso più tardi d',
  },
}
