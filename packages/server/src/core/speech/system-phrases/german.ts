import type { SystemPhrases } from './system-phrases.ts'

export const german: SystemPhrases = {
  retry: 'Entschuldigung, das habe ich nicht verstanden. Bitte sagen Sie es noch einmal.',
  nobodyThere: 'Dort ist im Moment leider niemand zu erreichen.',
  goodbye: 'Dieser Dienst ist zurzeit leider nicht erreichbar. Bitte rufen Sie später noch einmal an.',
  stillThere: 'Sind Sie noch da?',
  fillers: ['Einen Moment, bitte.', 'Ich schaue kurz nach.', 'Gleich habe ich es.', 'Danke für Ihre Geduld.'],
  warmTransfer: {
    callForYou: 'Ein Anruf für Sie.',
    question: 'Annehmen: Taste Eins, oder sagen Sie Ja. Ablehnen: Taste Zwei, oder sagen Sie Nein. Nehmen Sie den Anruf an?',
  },
  answers: {
    yes: 'ja jawohl jo jup klar okay ok gerne gern natürlich sicher annehmen durchstellen verbinden ordnung',
    no: 'nein ne nee nö nicht ablehnen später keinesfalls',
    beside:
      'bitte danke sehr na ich nehme ihn ihnen an sie den anruf eins zwei also jetzt mich gerade im in moment heute kann geht will lieber',
  },
}
