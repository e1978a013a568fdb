import { mainLanguage } from '../text-normalization/main-language.ts'

/** Phrases spoken by the service itself, unless the flow overrides them. */
export interface SystemPhrases {
  /** Asks the caller to repeat, after a misunderstanding or a missing reply. */
  readonly retry: string
  /** A transfer was not answered. */
  readonly noAnswer: string
  /** The endpoint is unreachable: the call ends. */
  readonly goodbye: string
  /** Silence for a while. */
  readonly stillThere: string
  /** While a reply is pending: in order, all of them short. */
  readonly fillers: readonly string[]
  /** For the target of a warm transfer. */
  readonly warmTransfer: {
    /** Default if the endpoint provides no text. */
    readonly callForYou: string
    /** Names the keys and words. Ends with a question, because speech after a question counts as an answer. */
    readonly question: string
  }
  /** Before a recording, if a rule requires consent. */
  readonly recordingConsent: {
    readonly opening: string
    /** As in `warmTransfer`. */
    readonly question: string
  }
  /**
   * Words that make a short answer a yes or a no, and neutral ones. No greetings: a target that answers with "pronto" has not decided
   * anything.
   */
  readonly answers: { readonly yes: string; readonly no: string; readonly beside: string }
}

export const english: SystemPhrases = {
  retry: 'Sorry, I did not get that. Please say it again.',
  noAnswer: 'Sorry, nobody can be reached there at the moment.',
  goodbye: 'We are sorry, this service is not available at the moment. Please call again later.',
  stillThere: 'Are you still there?',
  fillers: ['One moment, please.', 'Just a second.', 'Still working on it.', 'Thank you for waiting.'],
  warmTransfer: {
    callForYou: 'There is a call for you.',
    question: 'To take it, press one, or say yes. To decline, press two, or say no. Do you take the call?',
  },
  recordingConsent: {
    opening: 'This call is to be recorded.',
    question: 'If you agree, press one, or say yes. If not, press two, or say no. Do you agree?',
  },
  answers: {
    yes: 'yes yeah yep yup sure okay ok alright agree agreed accept connect ahead course',
    no: 'no nope nah not decline don’t can’t later never',
    beside:
      'please thanks thank you i do will i’ll take it the call them him her through put of well go all right one two now today at moment me',
  },
}

const german: SystemPhrases = {
  retry: 'Entschuldigung, das habe ich nicht verstanden. Bitte sagen Sie es noch einmal.',
  noAnswer: 'Dort ist im Moment leider niemand zu erreichen.',
  goodbye: 'Dieser Dienst ist zurzeit leider nicht erreichbar. Bitte rufen Sie später noch einmal an.',
  stillThere: 'Sind Sie noch da?',
  fillers: ['Einen Moment, bitte.', 'Ich schaue kurz nach.', 'Gleich habe ich es.', 'Danke für Ihre Geduld.'],
  warmTransfer: {
    callForYou: 'Ein Anruf für Sie.',
    question: 'Annehmen: Taste Eins, oder sagen Sie Ja. Ablehnen: Taste Zwei, oder sagen Sie Nein. Nehmen Sie den Anruf an?',
  },
  recordingConsent: {
    opening: 'Dieses Gespräch soll aufgezeichnet werden.',
    question: 'Einverstanden: Taste Eins, oder sagen Sie Ja. Nicht einverstanden: Taste Zwei, oder sagen Sie Nein. Sind Sie einverstanden?',
  },
  answers: {
    yes: 'ja jawohl jo jup klar einverstanden okay ok gerne gern natürlich sicher annehmen durchstellen verbinden ordnung',
    no: 'nein ne nee nö nicht ablehnen später keinesfalls',
    beside:
      'bitte danke sehr na ich nehme ihn ihnen an sie den anruf eins zwei also jetzt mich gerade im in moment heute kann geht will lieber',
  },
}

const french: SystemPhrases = {
  retry: 'Excusez-moi, je n’ai pas compris. Pouvez-vous répéter, s’il vous plaît ?',
  noAnswer: 'Je suis désolé, personne n’est joignable pour le moment.',
  goodbye: 'Nous sommes désolés, ce service n’est pas disponible pour le moment. Veuillez rappeler plus tard.',
  stillThere: 'Êtes-vous toujours là ?',
  fillers: ['Un instant, s’il vous plaît.', 'Je regarde.', 'Encore un petit instant.', 'Merci de patienter.'],
  warmTransfer: {
    callForYou: 'Il y a un appel pour vous.',
    question: 'Pour le prendre, tapez un, ou dites oui. Pour le refuser, tapez deux, ou dites non. Prenez-vous cet appel ?',
  },
  recordingConsent: {
    opening: 'Cet appel doit être enregistré.',
    question: 'Si vous êtes d’accord, tapez un, ou dites oui. Sinon, tapez deux, ou dites non. Êtes-vous d’accord ?',
  },
  answers: {
    yes: 'oui ouais accord accepte accepter okay ok volontiers sûr allez',
    no: 'non pas refuse refuser jamais impossible',
    beside: 'merci s il vous te plaît d bien je j le l prends appel un deux maintenant peux plus tard y',
  },
}

const italian: SystemPhrases = {
  retry: 'Mi scusi, non ho capito. Può ripetere, per favore?',
  noAnswer: 'Mi dispiace, al momento non è raggiungibile nessuno.',
  goodbye: 'Ci dispiace, il servizio al momento non è disponibile. La preghiamo di richiamare più tardi.',
  stillThere: 'È ancora in linea?',
  fillers: ['Un momento, per favore.', 'Controllo subito.', 'Ancora un attimo.', 'Grazie per l’attesa.'],
  warmTransfer: {
    callForYou: 'C’è una chiamata per lei.',
    question: 'Per accettarla, prema uno, o dica sì. Per rifiutarla, prema due, o dica no. Accetta la chiamata?',
  },
  recordingConsent: {
    opening: 'Questa chiamata sarà registrata.',
    question: 'Se è d’accordo, prema uno, o dica sì. Altrimenti, prema due, o dica no. È d’accordo?',
  },
  answers: {
    yes: 'sì certo certamente accetto accettare okay ok volentieri accordo bene',
    no: 'no non rifiuto rifiutare mai dopo impossibile',
    beside: 'grazie per favore prego la chiamata va uno due adesso ora posso più tardi d',
  },
}

const spanish: SystemPhrases = {
  retry: 'Perdone, no le he entendido. ¿Puede repetirlo, por favor?',
  noAnswer: 'Lo siento, en este momento no hay nadie disponible.',
  goodbye: 'Lo sentimos, este servicio no está disponible en este momento. Por favor, vuelva a llamar más tarde.',
  stillThere: '¿Sigue usted ahí?',
  fillers: ['Un momento, por favor.', 'Lo estoy mirando.', 'Enseguida lo tengo.', 'Gracias por esperar.'],
  warmTransfer: {
    callForYou: 'Hay una llamada para usted.',
    question: 'Para aceptarla, pulse uno, o diga sí. Para rechazarla, pulse dos, o diga no. ¿Acepta la llamada?',
  },
  recordingConsent: {
    opening: 'Esta llamada se va a grabar.',
    question: 'Si está de acuerdo, pulse uno o diga sí. Si no, pulse dos o diga no. ¿Está de acuerdo?',
  },
  answers: {
    yes: 'sí claro vale acepto aceptar okay ok adelante supuesto acuerdo',
    no: 'no rechazar rechazo nunca luego imposible',
    beside: 'por favor gracias la llamada que uno dos ahora puedo hoy más tarde de',
  },
}

const languages: ReadonlyMap<string, SystemPhrases> = new Map([
  ['en', english],
  ['de', german],
  ['fr', french],
  ['es', spanish],
  ['it', italian],
])

/** `language`: BCP 47. English for languages without phrases. */
export const systemPhrases = (language: string): SystemPhrases => languages.get(mainLanguage(language)) ?? english

export const hasSystemPhrases = (language: string): boolean => languages.has(mainLanguage(language))
