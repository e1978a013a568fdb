import type { SpokenSymbol } from './wording.ts'

type Unit = readonly [one: string, many: string]

/** English, German. */
const symbols: Readonly<Record<SpokenSymbol, readonly [string, string]>> = {
  '+': ['plus', 'plus'],
  '-': ['minus', 'minus'],
  '‐': ['dash', 'Bindestrich'],
  '%': ['percent', 'Prozent'],
  '‰': ['per mille', 'Promille'],
  '&': ['and', 'und'],
  '@': ['at', 'at'],
  '.': ['dot', 'Punkt'],
  '/': ['slash', 'Schrägstrich'],
  _: ['underscore', 'Unterstrich'],
  '#': ['number', 'Nummer'],
  '=': ['equals', 'gleich'],
  '§': ['section', 'Paragraf'],
  '°': ['degrees', 'Grad'],
  '×': ['times', 'mal'],
  '÷': ['divided by', 'geteilt durch'],
  '>': ['greater than', 'größer als'],
  '<': ['less than', 'kleiner als'],
  '±': ['plus or minus', 'plus minus'],
  '≈': ['about', 'etwa'],
}

/** One and many in English, then in German. */
const units: Readonly<Record<string, readonly [string, string, string, string]>> = {
  km: ['kilometer', 'kilometers', 'Kilometer', 'Kilometer'],
  'km/h': ['kilometer per hour', 'kilometers per hour', 'Kilometer pro Stunde', 'Kilometer pro Stunde'],
  m: ['meter', 'meters', 'Meter', 'Meter'],
  'm²': ['square meter', 'square meters', 'Quadratmeter', 'Quadratmeter'],
  'm³': ['cubic meter', 'cubic meters', 'Kubikmeter', 'Kubikmeter'],
  cm: ['centimeter', 'centimeters', 'Zentimeter', 'Zentimeter'],
  mm: ['millimeter', 'millimeters', 'Millimeter', 'Millimeter'],
  kg: ['kilogram', 'kilograms', 'Kilogramm', 'Kilogramm'],
  g: ['gram', 'grams', 'Gramm', 'Gramm'],
  mg: ['milligram', 'milligrams', 'Milligramm', 'Milligramm'],
  l: ['liter', 'liters', 'Liter', 'Liter'],
  ml: ['milliliter', 'milliliters', 'Milliliter', 'Milliliter'],
  h: ['hour', 'hours', 'Stunde', 'Stunden'],
  min: ['minute', 'minutes', 'Minute', 'Minuten'],
  ms: ['millisecond', 'milliseconds', 'Millisekunde', 'Millisekunden'],
  TB: ['terabyte', 'terabytes', 'Terabyte', 'Terabyte'],
  GB: ['gigabyte', 'gigabytes', 'Gigabyte', 'Gigabyte'],
  MB: ['megabyte', 'megabytes', 'Megabyte', 'Megabyte'],
  kB: ['kilobyte', 'kilobytes', 'Kilobyte', 'Kilobyte'],
  Mbps: ['megabit per second', 'megabits per second', 'Megabit pro Sekunde', 'Megabit pro Sekunde'],
  'Mbit/s': ['megabit per second', 'megabits per second', 'Megabit pro Sekunde', 'Megabit pro Sekunde'],
  Hz: ['hertz', 'hertz', 'Hertz', 'Hertz'],
  kHz: ['kilohertz', 'kilohertz', 'Kilohertz', 'Kilohertz'],
  MHz: ['megahertz', 'megahertz', 'Megahertz', 'Megahertz'],
  GHz: ['gigahertz', 'gigahertz', 'Gigahertz', 'Gigahertz'],
  V: ['volt', 'volts', 'Volt', 'Volt'],
  W: ['watt', 'watts', 'Watt', 'Watt'],
  kW: ['kilowatt', 'kilowatts', 'Kilowatt', 'Kilowatt'],
  kWh: ['kilowatt hour', 'kilowatt hours', 'Kilowattstunde', 'Kilowattstunden'],
  '″': ['inch', 'inches', 'Zoll', 'Zoll'],
  '°C': ['degree Celsius', 'degrees Celsius', 'Grad Celsius', 'Grad Celsius'],
}

/** Units that texts of one language use only. */
const onlyEnglish: Readonly<Record<string, Unit>> = {
  mph: ['mile per hour', 'miles per hour'],
  mi: ['mile', 'miles'],
  ft: ['foot', 'feet'],
  lb: ['pound', 'pounds'],
  lbs: ['pound', 'pounds'],
  oz: ['ounce', 'ounces'],
  hr: ['hour', 'hours'],
  hrs: ['hour', 'hours'],
  mins: ['minute', 'minutes'],
  sec: ['second', 'seconds'],
  '¢': ['cent', 'cents'],
  '°F': ['degree Fahrenheit', 'degrees Fahrenheit'],
}
const onlyGerman: Readonly<Record<string, Unit>> = {
  qm: ['Quadratmeter', 'Quadratmeter'],
  t: ['Tonne', 'Tonnen'],
  Std: ['Stunde', 'Stunden'],
  Min: ['Minute', 'Minuten'],
  Sek: ['Sekunde', 'Sekunden'],
  PS: ['P S', 'P S'],
  Pers: ['Person', 'Personen'],
}

const each = <K extends string, From, To>(table: Readonly<Record<K, From>>, name: (entry: From) => To): Record<K, To> =>
  Object.fromEntries(Object.entries<From>(table).map(([sign, entry]) => [sign, name(entry)])) as Record<K, To>

export const englishSymbols = each(symbols, ([english]) => english)
export const germanSymbols = each(symbols, ([, german]) => german)
export const englishUnits = { ...each(units, ([one, many]): Unit => [one, many]), ...onlyEnglish }
export const germanUnits = { ...each(units, ([, , one, many]): Unit => [one, many]), ...onlyGerman }
