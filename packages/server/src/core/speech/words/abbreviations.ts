import type { Wording } from './wording.ts'
import { mainLanguage } from './main-language.ts'

const english: Record<string, string> = {
  'e.g.': 'for example',
  'i.e.': 'that is',
  'etc.': 'et cetera',
  'vs.': 'versus',
  'approx.': 'approximately',
  'appt.': 'appointment',
  'dept.': 'department',
  'ext.': 'extension',
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
}

/** Ordinary words as well: short only right before a number. */
const onlyBeforeNumbers = new Set(['no.', 'art.', 'min.', 'max.', 'abs.'])
const onlyBeforeNames = new Set(['st.', 'fr.'])

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

export const expandAbbreviations = (text: string, _: Wording, language: string): string => {
  const table = tables[mainLanguage(language)] ?? {}
  return text.replace(patterns[mainLanguage(language)] ?? /$^/, (match, at: number) => {
    const key = keyOf(match)
    const after = text.slice(at + match.length)
    const words = isShort(key, after.trimStart().charAt(0)) ? table[key] : key === 'st.' ? 'Street' : undefined
    if (words === undefined) return match
    // Its dot also ends the sentence.
    return after.trim() === '' ? `${words}.` : words
  })
}

/** Often the last words of a sentence: a capital letter after them starts a new one. */
const oftenLast = new Set(['etc.', 'usw.', 'a.m.', 'p.m.', 'inc.', 'ltd.', 'u.a.', 'o.ä.', 'u.ä.', 'str.'])

/** Whether the dot that `text` ends with belongs to a short word, and no sentence ends there. `next`: the character after the gap. */
export const endsWithAbbreviation = (text: string, next: string, language: string): boolean => {
  const end = text.slice(-20)
  const letters = /(?<![\p{L}\p{N}])(?:\p{L}\.[ \u00a0]?)*\p{L}\.$/u.exec(end)?.[0]
  const key = keyOf(letters ?? /(?<![\p{L}\p{N}])\p{L}{2,6}\.$/u.exec(end)?.[0] ?? '')
  if (!isShort(key, next)) return false
  if (oftenLast.has(key)) return !/\p{Lu}/u.test(next)
  // Initials: "J. Smith", "z. B."
  if (letters !== undefined) return next !== ''
  return key in (tables[mainLanguage(language)] ?? {})
}
