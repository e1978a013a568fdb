import { germanPlaces } from './german-places.ts'

export interface Place {
  /** ISO 3166 code. */
  country: string
  postalCode: string
  locality: string
}

interface KnownPlace {
  postcodes: readonly string[]
  codes: readonly string[]
}

const placesByName = new Map<string, KnownPlace[]>()
const knownCodes = new Set<string>()
/** Area names: a place names an area if the area's code is its first one. */
const namesOfAreas = new Map<string, string>()

for (const [names, postcodes, codes] of germanPlaces) {
  const place = { postcodes: postcodes.split(' '), codes: codes.split(' ') }
  for (const code of place.codes) knownCodes.add(code)
  const [mainCode = ''] = place.codes
  if (!namesOfAreas.has(mainCode)) namesOfAreas.set(mainCode, names.split(', ')[0] ?? '')
  for (const spelling of new Set(names.split(', ').flatMap(spellings))) {
    placesByName.set(spelling, [...(placesByName.get(spelling) ?? []), place])
  }
}

/** All area codes of the table, without 0. */
export const germanAreaCodes: ReadonlySet<string> = knownCodes

/** Main place of an area code without 0. */
export const placeOfArea = (code: string): string | undefined => namesOfAreas.get(code)

/**
 * Area codes without 0 that serve a German place; undefined if the table does not contain it. Name and postcode must agree: many names
 * exist twice, and a village can share its city's postcode region but not its area code.
 */
export function areaCodesOf(place: Place): string[] | undefined {
  const postcode = /^(?:D-?)?\s*(\d{5})$/i.exec(place.postalCode.trim())?.[1]
  if (postcode === undefined || place.country.trim().toUpperCase() !== 'DE') return undefined
  const found = nameAndDistrict(place.locality)
    .flatMap((name) => placesByName.get(name) ?? [])
    .find((known) => known.postcodes.some((prefix) => postcode.startsWith(prefix)))
  return found && [...found.codes]
}

/** Area code of the table at the start of a national number without 0. German area codes are prefix-free, so there is at most one. */
export function areaCodeAtStartOf(national: string): string | undefined {
  return [2, 3, 4, 5].map((length) => national.slice(0, length)).find((code) => knownCodes.has(code))
}

/** Candidates for the lookup: "Köln-Porz" itself, then shortened word by word to its city. */
function nameAndDistrict(locality: string): string[] {
  const words = plain(umlautsWithE(locality.slice(0, 100))).split(' ')
  return words.map((_, index) => words.slice(0, words.length - index).join(' '))
}

/** Düsseldorf is also found as Duesseldorf and Dusseldorf. */
function spellings(name: string): string[] {
  return [plain(umlautsWithE(name)), plain(name)]
}

function umlautsWithE(name: string): string {
  return name.normalize('NFC').replace(/[äöüÄÖÜ]/g, (letter) => `${letter.normalize('NFD').charAt(0)}e`)
}

function plain(name: string): string {
  const letters = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
  return letters.replace(/[^a-z]+/g, ' ').trim()
}
