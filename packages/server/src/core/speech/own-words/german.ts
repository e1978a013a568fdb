import type { OwnWords } from './own-words.ts'

export const german: OwnWords = {
  retry: 'Entschuldigung, das habe ich nicht verstanden. Bitte sagen Sie es noch einmal.',
  nobodyThere: 'Dort ist im Moment leider niemand zu erreichen.',
  goodbye: 'Dieser Dienst ist zurzeit leider nicht erreichbar. Bitte rufen Sie später noch einmal an.',
  stillThere: 'Sind Sie noch da?',
  fillers: ['Einen Moment, bitte.', 'Ich schaue kurz nach.', 'Gleich habe ich es.', 'Danke für Ihre Geduld.'],
  warmTransfer: {
    connecting: 'Einen Moment, bitte, ich verbinde Sie.',
    accept: 'Um das Gespräch anzunehmen, drücken Sie die Eins oder sagen Sie ja.',
    accepted: 'Danke. Sie sind jetzt verbunden.',
    declined: 'In Ordnung. Auf Wiederhören.',
    callerGone: 'Der Anrufer hat aufgelegt. Auf Wiederhören.',
  },
  yes: ['ja', 'jawohl', 'ja bitte', 'ja gerne', 'ja gern', 'gerne', 'gern', 'klar', 'ja klar', 'natürlich', 'okay', 'ok', 'in ordnung'],
  no: ['nein', 'nee', 'nein danke', 'jetzt nicht', 'nicht jetzt', 'geht nicht', 'später'],
}
