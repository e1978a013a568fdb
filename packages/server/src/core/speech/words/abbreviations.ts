import type { Wording } from './wording.ts'
import { mainLanguage } from './main-language.ts'
import { isLast } from './places.ts'

const english: Record<string, string> = {
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

const german: Record<string, string> = {
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

/** Without a dot at their end; written exactly so. */
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
    // Glued to a name.
    [/(?<=\p{Ll}{2})str(?:\.|(?= \d))/gu, 'straße'],
    [/(?<=\p{Ll}{3})pl\.(?= \d)/gu, 'platz'],
  ],
}

/** Before numbers are looked at: what is long tells more about them. */
export const writeOutShortForms = (text: string, _: Wording, language: string): string =>
  (shortForms[mainLanguage(language)] ?? []).reduce((rest, [short, words]) => rest.replace(short, words), text)

/** Ordinary words as well: short only right before a number. */
const onlyBeforeNumbers = new Set(['no.', 'art.', 'min.', 'max.', 'abs.', 'p.', 'pp.', 's.', 'fig.', 'vol.', 'apt.', 'est.'])
const onlyBeforeNames = new Set(['st.', 'fr.', 'mt.', 'ft.'])

const isShort = (key: string, next: string): boolean =>
  onlyBeforeNumbers.has(key) ? /\d/.test(next) : onlyBeforeNames.has(key) ? /\p{Lu}/u.test(next) : true

const tables: Record<string, Record<string, string>> = { en: english, de: german }

/** After each dot there may be a gap: "z. B.". */
const patternFor = (table: Record<string, string>): RegExp => {
  const keys = Object.keys(table).toSorted((a, b) => b.length - a.length)
  return new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${keys.map((key) => key.replace(/\.(?!$)/g, '\\.[ \\u00a0]?').replace(/\.$/, '\\.')).join('|')})`,
    'giu',
  )
}
const patterns: Record<string, RegExp> = { en: patternFor(english), de: patternFor(german) }

const keyOf = (match: string): string => match.replace(/[ \u00a0]/g, '').toLowerCase()

/** After a number they belong to it: times of day and units. */
const afterNumbers = new Set(['a.m.', 'p.m.', 'ft.', 'min.', 'std.', 'pers.'])

export const expandAbbreviations = (text: string, _: Wording, language: string): string => {
  const table = tables[mainLanguage(language)] ?? {}
  const last = isLast(text)
  return text.replace(patterns[mainLanguage(language)] ?? /$^/, (match, at: number) => {
    const key = keyOf(match)
    if (afterNumbers.has(key) && /\d\s?$/.test(text.slice(Math.max(0, at - 2), at))) return match
    const end = at + match.length
    const words = isShort(
      key,
      text
        .slice(end, end + 10)
        .trimStart()
        .charAt(0),
    )
      ? table[key]
      : key === 'st.'
        ? 'Street'
        : undefined
    if (words === undefined) return match
    // Its dot also ends the sentence.
    return last(end) ? `${words}.` : words
  })
}

/** Often the last words of a sentence: a capital letter after them starts a new one. */
const oftenLast = new Set(['etc.', 'usw.', 'a.m.', 'p.m.', 'inc.', 'ltd.', 'u.a.', 'o.ä.', 'u.ä.', 'str.'])

/** Whether the dot that `text` ends with belongs to a short word, and no sentence ends there. `next`: the character after the gap. */
export const endsWithAbbreviation = (text: string, next: string, language: string): boolean => {
  const end = text.slice(-20)
  const letters = /(?<![\p{L}\p{N}])(?:\p{L}\.[ \u00a0]?)*\p{L}\.$/u.exec(end)?.[0]
  const key = keyOf(letters ?? /(?<![\p{L}\p{N}])\p{L}{2,6}\.$/u.exec(end)?.[0] ?? '')
  if (!isShort(key, next)) return /^\p{Lu}\.$/u.test(letters ?? '') && /\p{Lu}/u.test(next)
  if (oftenLast.has(key)) return !/\p{Lu}/u.test(next)
  // Initials: "J. Smith", "z. B."
  if (letters !== undefined) return next !== ''
  return key in (tables[mainLanguage(language)] ?? {})
}
