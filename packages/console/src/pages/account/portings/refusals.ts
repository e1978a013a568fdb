import { words } from '#words/languages.ts'

/** What the codes of the present carrier mean to the customer who ports the numbers. */
export const refusals = words({
  en: {
    8103: 'The number is not in service there.',
    8108: 'The address is another one there.',
    8109: 'The address is another one there.',
    8110: 'The address is another one there.',
    8111: 'The address is another one there.',
    8112: 'The holder is somebody else there.',
    8113: 'The holder is somebody else there.',
    8114: 'There are further holders.',
    8115: 'The request has an id that was used before.',
    8116: 'There is another reason, which the carrier does not name.',
    8117: 'The holder is not known there.',
    8118: 'The number goes to another carrier already.',
    8140: 'The request is not known there.',
    8141: 'The carrier does not move the date.',
    8142: 'The carrier does not give the porting up.',
  },
  de: {
    8103: 'Die Rufnummer ist dort nicht geschaltet.',
    8108: 'Die Adresse lautet dort anders.',
    8109: 'Die Adresse lautet dort anders.',
    8110: 'Die Adresse lautet dort anders.',
    8111: 'Die Adresse lautet dort anders.',
    8112: 'Der Inhaber ist dort ein anderer.',
    8113: 'Der Inhaber ist dort ein anderer.',
    8114: 'Es gibt weitere Inhaber.',
    8115: 'Die Kennung der Anfrage wurde schon einmal verwendet.',
    8116: 'Es gibt einen anderen Grund, den der Anbieter nicht nennt.',
    8117: 'Der Inhaber ist dort nicht bekannt.',
    8118: 'Die Rufnummer geht schon zu einem anderen Anbieter.',
    8140: 'Die Anfrage ist dort nicht bekannt.',
    8141: 'Der Anbieter verschiebt den Termin nicht.',
    8142: 'Der Anbieter gibt die Portierung nicht auf.',
  },
})

/** `8112 the holder is wrong; 8117 …` → a sentence for each, once; what has no words here as the service said it. */
export const wordsOfRefusal = (reason: string, known: Readonly<Record<string, string>>): string[] => {
  const sentences = reason.split('; ').map((said) => known[said.slice(0, 4)] ?? `${said}.`)
  return [...new Set(sentences)]
}
