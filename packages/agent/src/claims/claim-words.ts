/** Kinds of deeds, by the verbs that claim them. */
export const deeds = ['book', 'cancel', 'change', 'send', 'note', 'pass', 'order', 'pay', 'activate'] as const
export type Deed = (typeof deeds)[number]

export interface ClaimWords {
  /** Participles by deed, as alternatives of a regular expression. */
  participles: Readonly<Record<Deed, string>>
  /** Words before the participle in "I have …"; may contain `GAP`. */
  first: string
  /** Words before the participle in "your table is …". */
  passive: string
  /** Words allowed between those and the participle. */
  gap: string
  /** Words that make it no claim: negation, condition, intention. */
  unless: string
  /** "Is already booked" says that somebody else was faster. */
  taken: string
}

const apart = "(?:[\\p{L}\\p{N}'’.:@-]+,? ){0,4}?"

/** German puts the participle at the end of the clause. */
const farApart = "(?:[\\p{L}\\p{N}'’.:@-]+,? ){0,16}?"

export const claimWords: Readonly<Record<string, ClaimWords>> = {
  en: {
    participles: {
      book: 'booked|reserved|scheduled|arranged|signed you up|set up|put you down',
      cancel: 'cancell?ed|deleted|removed',
      change: 'changed|moved|rescheduled|rebooked|updated|corrected|postponed',
      send: 'sent|texted|e-?mailed|mailed',
      note: 'noted|recorded|saved|logged|written|added|entered|registered|created|opened|filed|submitted|taken (?:down )?your message',
      pass: 'passed|forwarded|informed|notified',
      order: 'ordered|placed',
      pay: 'paid|refunded|charged|credited',
      activate: 'activated|deactivated|blocked|unblocked|unlocked|confirmed|reset',
    },
    first: "\\b(?:i|we)(?:['’]ve| have)? (?:just |already |now |also |successfully |gone ahead and |went ahead and )*",
    passive:
      "(?:\\b(?:your [\\p{L}\\p{N}'’ -]{1,60}?|it|that|this|everything|you|the (?:appointment|table|booking|reservation|order|message|meeting|ticket|room|callback|note|request|payment|refund|sms|text|e-?mail)[\\p{L}\\p{N}'’: ]{0,40}?)(?:['’]s|['’]re| is| are| was| were| has| have)(?: been)? (?:now |just |all |successfully )*|\\bthe [\\p{L}\\p{N}'’ -]{1,60}? (?:has|have) been (?:now |just |successfully )*)",
    gap: '',
    unless:
      "\\b(?:not|never|nothing|cannot|can|could|would|should|shall|will|may|might|must|once|after|before|until|unless|if|whether|when|let me|going to|trying to|need|who|what|which|how)\\b|n['’]t\\b|['’](?:ll|d)\\b",
    taken: 'already |fully |completely ',
  },
  de: {
    participles: {
      book: 'gebucht|reserviert|vereinbart|angemeldet|eingeplant|eingetragen',
      cancel: 'storniert|abgesagt|gelöscht|gekündigt|abgemeldet',
      change: 'geändert|verschoben|verlegt|aktualisiert|umgebucht|korrigiert',
      send: 'geschickt|gesendet|verschickt|zugeschickt|zugesandt|gesandt|abgeschickt|gemailt',
      note: 'notiert|aufgenommen|eingetragen|gespeichert|vermerkt|hinterlegt|angelegt|erfasst|aufgeschrieben|festgehalten|hinzugefügt|erstellt',
      pass: 'weitergeleitet|weitergegeben|informiert|benachrichtigt|ausgerichtet|verständigt',
      order: 'bestellt',
      pay: 'bezahlt|erstattet|überwiesen|abgebucht|gutgeschrieben',
      activate: 'aktiviert|deaktiviert|gesperrt|entsperrt|freigeschaltet|bestätigt|zurückgesetzt',
    },
    first: '\\b(?:ich hab(?:e|s)?|hab(?:e|s)? ich|wir haben|haben wir) ',
    passive:
      '\\b(?:ihr(?:e|en|er)? [\\p{L}\\p{N}. -]{1,60}?|dein(?:e|en|er)? [\\p{L}\\p{N} -]{1,60}?|der [\\p{L}\\p{N} ]{1,40}?|die [\\p{L}\\p{N} ]{1,40}?|das(?: [\\p{L}\\p{N} ]{1,40}?)?|es|sie|alles) (?:ist|sind|wurden?) ',
    gap: farApart,
    unless:
      '\\b(?:nicht|nichts|nie|kein\\p{L}*|wenn|sobald|falls|bevor|nachdem|ob|kann|können|könnte\\p{L}*|würde\\p{L}*|werde|werden|wird|möchte\\p{L}*|soll\\p{L}*|muss|müssen|noch zu|wer|welche\\p{L}*)\\b',
    taken: 'schon |bereits |leider ',
  },
  fr: {
    participles: {
      book: 'réservée?s?|planifiée?s?|inscrite?s?|fixée?s?|pris (?:le |votre )?rendez-vous',
      cancel: 'annulée?s?|supprimée?s?|résiliée?s?',
      change: 'modifiée?s?|déplacée?s?|changée?s?|reportée?s?|mise?s? à jour|corrigée?s?',
      send: 'envoyée?s?|expédiée?s?',
      note: 'notée?s?|enregistrée?s?|ajoutée?s?|créée?s?|sauvegardée?s?|pris note',
      pass: 'transmise?s?|informée?s?|prévenue?s?|averti(?:e|s)?',
      order: 'commandée?s?|passé (?:la |votre )?commande',
      pay: 'payée?s?|remboursée?s?|débitée?s?|créditée?s?',
      activate: 'activée?s?|désactivée?s?|bloquée?s?|débloquée?s?|confirmée?s?|réinitialisée?s?',
    },
    first: "(?<!\\p{L})(?:j['’](?:y )?ai|je (?:vous|l['’]|les|le) ?ai|je l['’]ai|je vous (?:l['’])?ai|nous (?:vous )?avons|on a) ",
    passive:
      "(?<!\\p{L})(?:votre [\\p{L}\\p{N}'’ -]{1,60}?|vos [\\p{L}\\p{N}'’ -]{1,60}?|la (?:table|réservation|commande)|le (?:rendez-vous|message)|tout|il|elle|vous|cela|ça|c['’])(?: ?est| sont| êtes| a été| ont été) ",
    gap: apart,
    unless:
      "(?<!\\p{L})(?:pas|jamais|rien|si|quand|dès que|lorsque|avant|après|une fois|peux|peut|pourrais|pouvez|vais|allons|dois|faut|qui|quel\\p{L}*)(?!\\p{L})|(?<!\\p{L})n['’]",
    taken: 'déjà ',
  },
  es: {
    participles: {
      book: 'reservad[oa]s?|agendad[oa]s?|programad[oa]s?|fijad[oa]s?|apuntad[oa]s?|inscrit[oa]s?',
      cancel: 'cancelad[oa]s?|anulad[oa]s?|eliminad[oa]s?|borrad[oa]s?',
      change: 'cambiad[oa]s?|modificad[oa]s?|actualizad[oa]s?|movid[oa]s?|corregid[oa]s?|aplazad[oa]s?',
      send: 'enviad[oa]s?|mandad[oa]s?',
      note: 'anotad[oa]s?|registrad[oa]s?|guardad[oa]s?|cread[oa]s?|añadid[oa]s?|tomado nota',
      pass: 'avisad[oa]s?|informad[oa]s?|transmitid[oa]s?|pasad[oa]s?|reenviad[oa]s?|notificad[oa]s?',
      order: 'pedid[oa]s?|encargad[oa]s?',
      pay: 'pagad[oa]s?|reembolsad[oa]s?|cobrad[oa]s?|abonad[oa]s?',
      activate: 'activad[oa]s?|desactivad[oa]s?|bloquead[oa]s?|desbloquead[oa]s?|confirmad[oa]s?|restablecid[oa]s?',
    },
    first: '(?<!\\p{L})(?:he|hemos) ',
    passive:
      '(?<!\\p{L})(?:(?:su|tu|la|el) [\\p{L}\\p{N} -]{1,60}? |ya |todo |le )?(?:está|están|queda|quedan|ha sido|han sido|fue|ha quedado) ',
    gap: apart,
    unless:
      '(?<!\\p{L})(?:no|nunca|nada|si|cuando|en cuanto|antes|después|puedo|puede|podría|voy|vamos|debo|hay que|quién|qué|cuál)(?!\\p{L})',
    taken: 'ya ',
  },
  it: {
    participles: {
      book: 'prenotat[oaie]|riservat[oaie]|fissat[oaie]|iscritt[oaie]',
      cancel: 'cancellat[oaie]|annullat[oaie]|disdett[oaie]|eliminat[oaie]',
      change: 'modificat[oaie]|spostat[oaie]|cambiat[oaie]|aggiornat[oaie]|corrett[oaie]|rimandat[oaie]',
      send: 'inviat[oaie]|mandat[oaie]|spedit[oaie]',
      note: 'annotat[oaie]|registrat[oaie]|salvat[oaie]|segnat[oaie]|aggiunt[oaie]|creat[oaie]|preso nota',
      pass: 'inoltrat[oaie]|informat[oaie]|avvisat[oaie]|trasmess[oaie]|passat[oaie]',
      order: 'ordinat[oaie]',
      pay: 'pagat[oaie]|rimborsat[oaie]|addebitat[oaie]|accreditat[oaie]',
      activate: 'attivat[oaie]|disattivat[oaie]|bloccat[oaie]|sbloccat[oaie]|confermat[oaie]|reimpostat[oaie]',
    },
    first: "(?<!\\p{L})(?:ho|l['’]ho|gliel['’]ho|gliel'ho|abbiamo|l['’]abbiamo|ve l['’]ho) ",
    passive:
      "(?<!\\p{L})(?:(?:il|la|lo|l['’])(?: ?(?:suo|sua|tuo|tua))?[\\p{L}\\p{N} -]{1,60}? |tutto )?(?:è|sono|è stat[oa]|sono stat[ei]) ",
    gap: apart,
    unless: '(?<!\\p{L})(?:non|mai|niente|se|quando|appena|prima|dopo|posso|può|potrei|vado|devo|bisogna|chi|che cosa|quale)(?!\\p{L})',
    taken: 'già ',
  },
}
