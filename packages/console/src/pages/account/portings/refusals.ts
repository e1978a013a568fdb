import { words } from '#words/languages.ts'

/** Texts of the current carrier's rejection codes for the porting customer. */
export const refusals = words({
  en: {
    8103: 'The number is not in service there.',
    8108: 'The address does not match.',
    8109: 'The address does not match.',
    8110: 'The address does not match.',
    8111: 'The address does not match.',
    8112: 'The account holder does not match.',
    8113: 'The account holder does not match.',
    8114: 'There are other account holders.',
    8115: 'The ID of the request has been used before.',
    8116: 'The provider gave no further reason.',
    8117: 'The account holder is unknown there.',
    8118: 'The number is already being ported to another provider.',
    8140: 'The request is unknown there.',
    8141: 'The provider does not change the date.',
    8142: 'The provider does not cancel the porting.',
  },
  de: {
    8103: 'Die Rufnummer ist dort nicht geschaltet.',
    8108: 'Die Adresse stimmt nicht überein.',
    8109: 'Die Adresse stimmt nicht überein.',
    8110: 'Die Adresse stimmt nicht überein.',
    8111: 'Die Adresse stimmt nicht überein.',
    8112: 'Der Inhaber stimmt nicht überein.',
    8113: 'Der Inhaber stimmt nicht überein.',
    8114: 'Es gibt weitere Inhaber.',
    8115: 'Die Kennung der Anfrage wurde schon einmal verwendet.',
    8116: 'Der Anbieter nennt keinen genaueren Grund.',
    8117: 'Der Inhaber ist dort nicht bekannt.',
    8118: 'Die Rufnummer wird schon zu einem anderen Anbieter portiert.',
    8140: 'Die Anfrage ist dort nicht bekannt.',
    8141: 'Der Anbieter verschiebt den Termin nicht.',
    8142: 'Der Anbieter storniert die Portierung nicht.',
  },
})

/** `8112 the holder is wrong; 8117 …` → one sentence per code, without repeats; unknown codes as sent by the service. */
export const wordsOfRefusal = (reason: string, known: Readonly<Record<string, string>>): string[] => {
  const sentences = reason.split('; ').map((said) => known[said.slice(0, 4)] ?? `${said}.`)
  return [...new Set(sentences)]
}
