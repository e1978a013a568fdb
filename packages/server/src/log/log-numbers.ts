/** As people and protocols write them: +49 (30) 123-456, 004930123456, 4930123456, sip:110@…; not ids and words with digits. */
const phoneNumber = /\+\d[\d ()./-]{4,24}\d|(?<=\b(?:sips?|tel):)[\d*#]{3,}(?=[@;>"\\\s])|(?<![\w-])\d{8,15}(?![\w-])/g

/** A JSON string; JSON numbers, such as the time of a line, stay. */
const jsonString = /"(?:[^"\\]|\\.)*"/g

/**
 * A line of the log without phone numbers, wherever they stand: also in what a carrier, a database or a fault says in its own words.
 */
export const withoutNumbers = (json: string): string => json.replace(jsonString, (text) => text.replace(phoneNumber, '(number)'))
