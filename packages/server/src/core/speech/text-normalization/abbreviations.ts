import { mainLanguage } from './main-language.ts'
import { isLast } from './numbers-in-text.ts'

/** Spoken forms of abbreviations, by their lower-case spelling. */
type Abbreviations = Readonly<Record<string, string>>

const english: Abbreviations = {
  'e.g.': 'for example',
  'i.e.': 'that is',
  'etc.': 'et cetera',
  'vs.': 'versus',
  'approx.': 'approximately',
  'appt.': 'appointment',
  'dept.': 'department',
  'ext.': 'extension',
  'tel.': 'telephone',
  'apt.': 'apartment',
  'est.': 'established',
  'p.': 'page',
  'pp.': 'pages',
  'vol.': 'volume',
  'fig.': 'figure',
  'a.k.a.': 'also known as',
  'ph.d.': 'P H D',
  'co.': 'Company',
  'mt.': 'Mount',
  'ft.': 'Fort',
  'incl.': 'including',
  'max.': 'maximum',
  'min.': 'minimum',
  'dr.': 'Doctor',
  'mr.': 'Mister',
  'mrs.': 'Missis',
  'ms.': 'Miss',
  'prof.': 'Professor',
  'ave.': 'Avenue',
  'blvd.': 'Boulevard',
  'rd.': 'Road',
  'jr.': 'Junior',
  'sr.': 'Senior',
  'inc.': 'Incorporated',
  'ltd.': 'Limited',
  'corp.': 'Corporation',
  'st.': 'Saint',
  'no.': 'number',
  'a.m.': 'ay M',
  'p.m.': 'P M',
}

const german: Abbreviations = {
  'z.b.': 'zum Beispiel',
  'd.h.': 'das heißt',
  'u.a.': 'unter anderem',
  'u.u.': 'unter Umständen',
  'u.ä.': 'und Ähnliches',
  'o.ä.': 'oder Ähnliches',
  'i.d.r.': 'in der Regel',
  'v.a.': 'vor allem',
  'z.t.': 'zum Teil',
  'z.zt.': 'zurzeit',
  's.o.': 'siehe oben',
  's.u.': 'siehe unten',
  'usw.': 'und so weiter',
  'bzw.': 'beziehungsweise',
  'ca.': 'circa',
  'evtl.': 'eventuell',
  'ggf.': 'gegebenenfalls',
  'inkl.': 'inklusive',
  'exkl.': 'exklusive',
  'zzgl.': 'zuzüglich',
  'max.': 'maximal',
  'min.': 'mindestens',
  'mind.': 'mindestens',
  'etc.': 'et cetera',
  'sog.': 'sogenannte',
  'vgl.': 'vergleiche',
  'tel.': 'Telefon',
  'std.': 'Stunden',
  'tsd.': 'Tausend',
  'mio.': 'Millionen',
  'mrd.': 'Milliarden',
  'dr.': 'Doktor',
  'prof.': 'Professor',
  'hr.': 'Herr',
  'fr.': 'Frau',
  'nr.': 'Nummer',
  'kto.': 'Konto',
  'str.': 'Straße',
  'st.': 'Sankt',
  'abt.': 'Abteilung',
  'art.': 'Artikel',
  'abs.': 'Absatz',
  's.': 'Seite',
  'mwst.': 'Mehrwertsteuer',
  'zzt.': 'zurzeit',
  'o.g.': 'oben genannte',
  'e.v.': 'E V',
  'co.': 'Co',
  'pers.': 'Personen',
  'med.': 'med',
  'jh.': 'Jahrhundert',
}

const french: Abbreviations = {
  'm.': 'Monsieur',
  'mm.': 'Messieurs',
  mme: 'Madame',
  mlle: 'Mademoiselle',
  dr: 'Docteur',
  pr: 'Professeur',
  'av.': 'avenue',
  bd: 'boulevard',
  'st-': 'Saint-',
  'ste-': 'Sainte-',
  'n°': 'numéro',
  'tél.': 'téléphone',
  'env.': 'environ',
  'p.ex.': 'par exemple',
  'etc.': 'et cetera',
  'cf.': 'voir',
  'p.': 'page',
  'max.': 'maximum',
  'min.': 'minimum',
}

const spanish: Abbreviations = {
  'sr.': 'señor',
  'sra.': 'señora',
  'srta.': 'señorita',
  'dr.': 'doctor',
  'dra.': 'doctora',
  'd.': 'don',
  'ud.': 'usted',
  'uds.': 'ustedes',
  'avda.': 'avenida',
  'c/': 'calle',
  'pza.': 'plaza',
  'n.º': 'número',
  nº: 'número',
  'núm.': 'número',
  'tel.': 'teléfono',
  'aprox.': 'aproximadamente',
  'p.ej.': 'por ejemplo',
  'etc.': 'etcétera',
  'pág.': 'página',
  'máx.': 'máximo',
  'mín.': 'mínimo',
}

const italian: Abbreviations = {
  'sig.': 'signor',
  'sig.ra': 'signora',
  'sig.na': 'signorina',
  'sigg.': 'signori',
  'dott.': 'dottor',
  'dott.ssa': 'dottoressa',
  'prof.': 'professor',
  'ing.': 'ingegner',
  'avv.': 'avvocato',
  'n.': 'numero',
  'tel.': 'telefono',
  'ca.': 'circa',
  'p.za': 'piazza',
  'v.le': 'viale',
  'ecc.': 'eccetera',
  'es.': 'esempio',
  'pag.': 'pagina',
  'max.': 'massimo',
  'min.': 'minimo',
}

/** By language. */
const abbreviations: Readonly<Record<string, Abbreviations>> = { en: english, de: german, fr: french, es: spanish, it: italian }

/** Also ordinary words: abbreviations only right before a number. */
const onlyBeforeNumbers = new Set(['no.', 'art.', 'min.', 'max.', 'abs.', 'p.', 'pp.', 's.', 'fig.', 'vol.', 'apt.', 'est.', 'n.'])
const onlyBeforeNames = new Set(['st.', 'fr.', 'mt.', 'ft.', 'm.', 'mm.', 'd.'])

const isShort = (key: string, next: string): boolean =>
  onlyBeforeNumbers.has(key) ? /\d/.test(next) : onlyBeforeNames.has(key) ? /\p{Lu}/u.test(next) : true

/** Abbreviations without a final dot; case-sensitive. */
const shortForms: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  en: [
    [/(?<![\p{L}\p{N}])w\/o(?!\p{L})/gu, 'without'],
    [/(?<![\p{L}\p{N}])c\/o(?!\p{L})/gu, 'care of'],
  ],
  de: [
    [/(?<![\p{L}\p{N}])GmbH(?!\p{L})/gu, 'G M B H'],
    [/(?<![\p{L}\p{N}])GbR(?!\p{L})/gu, 'G B R'],
    [/(?<![\p{L}\p{N}])Kfz(?!\p{L})/gu, 'K F Z'],
    [/(?<![\p{L}\p{N}])Pkw(?!\p{L})/gu, 'P K W'],
    [/(?<![\p{L}\p{N}])Lkw(?!\p{L})/gu, 'L K W'],
    [/(?<![\p{L}\p{N}])c\/o(?!\p{L})/gu, 'bei'],
    [/(?<![\p{L}\p{N}])PLZ(?!\p{L})/gu, 'Postleitzahl'],
    [/(?<![\p{L}\p{N}])KW(?= \d)/gu, 'Kalenderwoche'],
    [/(?<![\p{L}\p{N}])Kto\.(?=-? ?\p{N}|-?Nr)/gu, 'Konto'],
    // Suffixes of a name.
    [/(?<=\p{Ll}{2})str(?:\.|(?= \d))/gu, 'straße'],
    [/(?<=\p{Ll}{3})pl\.(?= \d)/gu, 'platz'],
  ],
}

/** Runs before numbers: full words give more context for them. */
export const writeOutShortForms = (text: string, _: unknown, language: string): string =>
  (shortForms[mainLanguage(language)] ?? []).reduce((rest, [short, words]) => rest.replace(short, words), text)

/** Allows a space after each dot: "z. B.". */
const patternFor = (table: Readonly<Record<string, string>>): RegExp => {
  const keys = Object.keys(table)
    .toSorted((a, b) => b.length - a.length)
    .map((key) => key.replace(/\.(?!$)/g, '\\.[ \\u00a0]?').replace(/\.$/, '\\.'))
    .map((key) => (/\p{L}$/u.test(key) ? `${key}(?!\\p{L})` : key))
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${keys.join('|')})`, 'giu')
}
const patterns = new Map(Object.entries(abbreviations).map(([language, table]) => [language, patternFor(table)]))

const tableOf = (language: string): Readonly<Record<string, string>> => {
  const main = mainLanguage(language)
  return Object.hasOwn(abbreviations, main) ? (abbreviations[main] ?? {}) : {}
}

const keyOf = (match: string): string => match.replace(/[ \u00a0]/g, '').toLowerCase()

/** Belong to a preceding number: times of day and units. */
const afterNumbers = new Set(['a.m.', 'p.m.', 'ft.', 'min.', 'std.', 'pers.', 'm.'])

export const expandAbbreviations = (text: string, _: unknown, language: string): string => {
  const table = tableOf(language)
  const last = isLast(text)
  return text.replace(patterns.get(mainLanguage(language)) ?? /$^/, (match, at: number) => {
    const key = keyOf(match)
    if (afterNumbers.has(key) && /\d\s?$/.test(text.slice(Math.max(0, at - 2), at))) return match
    const end = at + match.length
    const [next = ''] = /\S/.exec(text.slice(end, end + 10)) ?? []
    const words = isShort(key, next) ? table[key] : key === 'st.' ? 'Street' : undefined
    if (words === undefined) return match
    // Its dot also ends the sentence.
    return match.endsWith('.') && last(end) ? `${words}.` : words
  })
}

/** Often at the end of a sentence: a capital letter after them starts a new one. */
const oftenLast = new Set(['etc.', 'usw.', 'a.m.', 'p.m.', 'inc.', 'ltd.', 'u.a.', 'o.ä.', 'u.ä.', 'str.'])

/** Whether the final dot of `text` belongs to an abbreviation rather than a sentence end. `next`: character after the space. */
export const endsWithAbbreviation = (text: string, next: string, language: string): boolean => {
  const end = text.slice(-20)
  const letters = /(?<![\p{L}\p{N}])(?:\p{L}\.[ \u00a0]?)*\p{L}\.$/u.exec(end)?.[0]
  const key = keyOf(letters ?? /(?<![\p{L}\p{N}])\p{L}{2,6}\.$/u.exec(end)?.[0] ?? '')
  if (!isShort(key, next)) return /^\p{Lu}\.$/u.test(letters ?? '') && /\p{Lu}/u.test(next)
  if (oftenLast.has(key)) return !/\p{Lu}/u.test(next)
  // Initials: "J. Smith", "z. B."
  if (letters !== undefined) return next !== ''
  return Object.hasOwn(tableOf(language), key)
}
