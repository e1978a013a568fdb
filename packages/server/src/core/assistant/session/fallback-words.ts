/** What callers hear when the endpoint cannot be reached, and the flow has no words of its own for it. */
const words = {
  de: {
    retry: 'Entschuldigung, das habe ich nicht verstanden. Bitte sagen Sie es noch einmal.',
    nobodyThere: 'Dort ist im Moment leider niemand zu erreichen.',
    goodbye: 'Dieser Dienst ist zurzeit leider nicht erreichbar. Bitte rufen Sie später noch einmal an.',
  },
  en: {
    retry: 'Sorry, I did not get that. Please say it again.',
    nobodyThere: 'Sorry, nobody can be reached there at the moment.',
    goodbye: 'We are sorry, this service is not available at the moment. Please call again later.',
  },
}

/** In the language, or in English. */
export const fallbackWords = (language: string): (typeof words)['en'] => (/^de\b/i.test(language) ? words.de : words.en)
