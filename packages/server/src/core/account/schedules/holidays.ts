import { Problem } from '@offhook/contract/problem.ts'

interface Holiday {
  date: string
  name: string
  partly?: true
}

interface HolidayInput {
  country: string
  region?: string
  year: number
}

const dayMs = 86_400_000

/** Ordered by date. Without a region: the nationwide ones. */
export const holidaysOf = ({ country, region, year }: HolidayInput) => {
  const known = Object.hasOwn(countries, country) ? countries[country] : undefined
  if (!known || (region !== undefined && !Object.hasOwn(known.regions, region))) throw new Problem('country_unknown')
  const items = known.holidays.flatMap((rule): Holiday[] => {
    const holds = holdsIn(rule, region)
    return holds ? [{ date: dateOf(rule.on, year), name: rule.name, ...(holds === 'partly' && { partly: true as const }) }] : []
  })
  const regions = Object.entries(known.regions).map(([code, name]) => ({ code, name }))
  return { items: items.toSorted((a, b) => a.date.localeCompare(b.date)), regions }
}

const holdsIn = ({ in: regions, partly }: HolidayRule, region: string | undefined): 'all' | 'partly' | undefined => {
  if (regions === undefined) return 'all'
  if (region === undefined) return undefined
  if (regions.split(' ').includes(region)) return 'all'
  return partly?.split(' ').includes(region) ? 'partly' : undefined
}

const dateOf = (on: HolidayDate, year: number): string => {
  if ('date' in on) return `${year}-${on.date}`
  if ('easter' in on) return written(easter(year) + on.easter * dayMs)
  if ('weekday' in on) return written(weekdayFrom(`${year}-${on.from}`, on.weekday) + (on.plus ?? 0) * dayMs)
  // The first Thursday of April, a week later in Holy Week.
  const thursday = weekdayFrom(`${year}-04-01`, 4)
  return written(thursday === easter(year) - 3 * dayMs ? thursday + 7 * dayMs : thursday)
}

const written = (at: number): string => new Date(at).toISOString().slice(0, 10)

const weekdayFrom = (date: string, weekday: number): number => {
  const at = Date.parse(`${date}T00:00:00Z`)
  return at + ((weekday - new Date(at).getUTCDay() + 7) % 7) * dayMs
}

/** Easter Sunday by the Gregorian calendar (Meeus, Jones, Butcher). */
const easter = (year: number): number => {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const ofCentury = year % 100
  const shift = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const moon = (19 * golden + century - Math.floor(century / 4) - shift + 15) % 30
  const sunday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - moon - (ofCentury % 4)) % 7
  const late = Math.floor((golden + 11 * moon + 22 * sunday) / 451)
  const month = moon + sunday - 7 * late + 114
  return Date.UTC(year, Math.floor(month / 31) - 1, (month % 31) + 1)
}

/** Statutory holidays, as far as verified; `partly`: only in parts of the region, or by custom. */
interface HolidayRule {
  name: string
  on: HolidayDate
  /** Default: the whole country. */
  in?: string
  partly?: string
}

/** `easter`: days after Easter Sunday. `from`: the first such weekday (0: Sunday) on or after a date, plus `plus` days. */
type HolidayDate = { date: string } | { easter: number } | { from: string; weekday: number; plus?: number } | { rule: 'naefels' }

interface Country {
  regions: Record<string, string>
  holidays: readonly HolidayRule[]
}

const newYear = { name: 'Neujahr', on: { date: '01-01' } }
const epiphany = { name: 'Heilige Drei Könige', on: { date: '01-06' } }
const goodFriday = { name: 'Karfreitag', on: { easter: -2 } }
const easterMonday = { name: 'Ostermontag', on: { easter: 1 } }
const labourDay = { name: 'Tag der Arbeit', on: { date: '05-01' } }
const ascension = { name: 'Christi Himmelfahrt', on: { easter: 39 } }
const whitMonday = { name: 'Pfingstmontag', on: { easter: 50 } }
const corpusChristi = { name: 'Fronleichnam', on: { easter: 60 } }
const assumption = { name: 'Mariä Himmelfahrt', on: { date: '08-15' } }
const allSaints = { name: 'Allerheiligen', on: { date: '11-01' } }
const conception = { name: 'Mariä Empfängnis', on: { date: '12-08' } }

const germany: Country = {
  regions: {
    BW: 'Baden-Württemberg',
    BY: 'Bayern',
    BE: 'Berlin',
    BB: 'Brandenburg',
    HB: 'Bremen',
    HH: 'Hamburg',
    HE: 'Hessen',
    MV: 'Mecklenburg-Vorpommern',
    NI: 'Niedersachsen',
    NW: 'Nordrhein-Westfalen',
    RP: 'Rheinland-Pfalz',
    SL: 'Saarland',
    SN: 'Sachsen',
    ST: 'Sachsen-Anhalt',
    SH: 'Schleswig-Holstein',
    TH: 'Thüringen',
  },
  holidays: [
    newYear,
    { ...epiphany, in: 'BW BY ST' },
    { name: 'Internationaler Frauentag', on: { date: '03-08' }, in: 'BE MV' },
    goodFriday,
    { name: 'Ostersonntag', on: { easter: 0 }, in: 'BB' },
    easterMonday,
    labourDay,
    ascension,
    { name: 'Pfingstsonntag', on: { easter: 49 }, in: 'BB' },
    whitMonday,
    { ...corpusChristi, in: 'BW BY HE NW RP SL', partly: 'SN TH' },
    { ...assumption, in: 'SL', partly: 'BY' },
    { name: 'Weltkindertag', on: { date: '09-20' }, in: 'TH' },
    { name: 'Tag der Deutschen Einheit', on: { date: '10-03' } },
    { name: 'Reformationstag', on: { date: '10-31' }, in: 'BB HB HH MV NI SN ST SH TH' },
    { ...allSaints, in: 'BW BY NW RP SL' },
    { name: 'Buß- und Bettag', on: { from: '11-16', weekday: 3 }, in: 'SN' },
    { name: '1. Weihnachtstag', on: { date: '12-25' } },
    { name: '2. Weihnachtstag', on: { date: '12-26' } },
  ],
}

const austria: Country = {
  regions: {},
  holidays: [
    newYear,
    epiphany,
    easterMonday,
    { name: 'Staatsfeiertag', on: { date: '05-01' } },
    ascension,
    whitMonday,
    corpusChristi,
    assumption,
    { name: 'Nationalfeiertag', on: { date: '10-26' } },
    allSaints,
    conception,
    { name: 'Christtag', on: { date: '12-25' } },
    { name: 'Stefanitag', on: { date: '12-26' } },
  ],
}

const catholic = 'LU UR SZ OW NW ZG AI TI VS'
const mondays = { in: 'ZH BE UR SZ GL BS BL SH AR AI SG GR TG TI VD GE JU', partly: 'LU OW NW ZG FR SO AG VS' }

const switzerland: Country = {
  regions: {
    AG: 'Aargau',
    AI: 'Appenzell Innerrhoden',
    AR: 'Appenzell Ausserrhoden',
    BE: 'Bern',
    BL: 'Basel-Landschaft',
    BS: 'Basel-Stadt',
    FR: 'Freiburg',
    GE: 'Genf',
    GL: 'Glarus',
    GR: 'Graubünden',
    JU: 'Jura',
    LU: 'Luzern',
    NE: 'Neuenburg',
    NW: 'Nidwalden',
    OW: 'Obwalden',
    SG: 'St. Gallen',
    SH: 'Schaffhausen',
    SO: 'Solothurn',
    SZ: 'Schwyz',
    TG: 'Thurgau',
    TI: 'Tessin',
    UR: 'Uri',
    VD: 'Waadt',
    VS: 'Wallis',
    ZG: 'Zug',
    ZH: 'Zürich',
  },
  holidays: [
    newYear,
    { name: 'Berchtoldstag', on: { date: '01-02' }, in: 'BE JU TG VD', partly: 'AG FR GL LU NE OW SH SO ZG ZH' },
    { ...epiphany, in: 'SZ TI UR', partly: 'GR LU' },
    { name: 'Jahrestag der Republik', on: { date: '03-01' }, in: 'NE' },
    { name: 'Josefstag', on: { date: '03-19' }, in: 'NW SZ TI UR VS', partly: 'GR LU SO' },
    { name: 'Näfelser Fahrt', on: { rule: 'naefels' }, in: 'GL' },
    { ...goodFriday, in: 'AG AI AR BE BL BS FR GE GL GR JU LU NE NW OW SG SH SO SZ TG UR VD ZG ZH' },
    { ...easterMonday, ...mondays },
    { ...labourDay, in: 'ZH BS BL SH TG TI NE JU', partly: 'AG FR SO' },
    { name: 'Auffahrt', on: { easter: 39 } },
    { ...whitMonday, ...mondays },
    { ...corpusChristi, in: `${catholic} JU`, partly: 'AG FR GR NE SO' },
    { name: 'Fest der Unabhängigkeit', on: { date: '06-23' }, in: 'JU' },
    { name: 'Peter und Paul', on: { date: '06-29' }, in: 'TI' },
    { name: 'Bundesfeier', on: { date: '08-01' } },
    { ...assumption, in: `${catholic} JU`, partly: 'AG FR GR SO' },
    { name: 'Genfer Bettag', on: { from: '09-01', weekday: 0, plus: 4 }, in: 'GE' },
    { name: 'Bettagsmontag', on: { from: '09-15', weekday: 0, plus: 1 }, in: 'VD', partly: 'NE' },
    { name: 'Bruder Klaus', on: { date: '09-25' }, in: 'OW' },
    { ...allSaints, in: `${catholic} GL SG JU`, partly: 'AG FR GR SO' },
    { ...conception, in: catholic, partly: 'AG FR GR SO' },
    { name: 'Weihnachten', on: { date: '12-25' } },
    { name: 'Stephanstag', on: { date: '12-26' }, in: 'ZH BE LU UR SZ GL BS BL SH AR AI SG GR TG TI', partly: 'AG FR NW OW SO ZG' },
    { name: 'Wiederherstellung der Republik', on: { date: '12-31' }, in: 'GE' },
  ],
}

const countries: Record<string, Country> = { DE: germany, AT: austria, CH: switzerland }
