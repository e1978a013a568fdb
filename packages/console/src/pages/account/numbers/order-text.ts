import { words } from '#words/languages.ts'

const inArea = (place: string, words: string): string => (place === '' ? words : place)

export const orderText = words({
  en: {
    title: 'Order a number',
    order: 'Order',
    ordered: (number: string) => `${number} is yours.`,
    search: 'Area code or digits',
    searchHint: 'For example 030, or digits that are easy to remember',
    number: 'Number',
    choose: 'Choose a number',
    free: 'free of charge',
    none: 'No numbers are available to order right now. Ask your operator, or bring your own number.',
    noMatch: 'No number with these digits is available.',
    address: 'Address',
    addressHint: (place: string) => `By law the number needs an address in its area (${inArea(place, 'its area code')}).`,
    noAddress: (place: string) =>
      `By law this number needs an address in its area (${inArea(place, 'its area code')}). Add one under Addresses first.`,
    through: 'Assign it right away',
    giveBack: 'Give number back',
    giveBackTitle: (number: string) => `Give ${number} back?`,
    giveBackBody: 'You can no longer be reached on this number, and after 90 days someone else can get it. The price is not refunded.',
    givenBack: 'Number given back.',
  },
  de: {
    title: 'Rufnummer bestellen',
    order: 'Bestellen',
    ordered: (number: string) => `${number} gehört jetzt dir.`,
    search: 'Vorwahl oder Ziffern',
    searchHint: 'Zum Beispiel 030, oder Ziffern, die man sich gut merken kann',
    number: 'Rufnummer',
    choose: 'Rufnummer auswählen',
    free: 'kostenlos',
    none: 'Zurzeit sind keine Rufnummern verfügbar. Frag deinen Betreiber, oder bring deine eigene Rufnummer mit.',
    noMatch: 'Mit diesen Ziffern ist keine Rufnummer frei.',
    address: 'Adresse',
    addressHint: (place: string) => `Das Gesetz verlangt eine Adresse im Vorwahlbereich (${inArea(place, 'dieser Vorwahl')}).`,
    noAddress: (place: string) =>
      `Das Gesetz verlangt für diese Rufnummer eine Adresse im Vorwahlbereich (${inArea(place, 'dieser Vorwahl')}). Trag sie zuerst unter „Adressen“ ein.`,
    through: 'Gleich zuweisen',
    giveBack: 'Rufnummer zurückgeben',
    giveBackTitle: (number: string) => `${number} zurückgeben?`,
    giveBackBody:
      'Unter dieser Rufnummer bist du dann nicht mehr erreichbar, und nach 90 Tagen kann sie jemand anderes bekommen. Der Preis wird nicht erstattet.',
    givenBack: 'Rufnummer zurückgegeben.',
  },
})
