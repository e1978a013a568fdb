import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Seller and payments',
    hint: 'With name, address, tax number and rate of the seller, monthly statements are invoices.',
    change: 'Change billing',
    nothing: 'Not entered: customers get statements',
    sellerName: 'Seller',
    sellerAddress: 'Address',
    taxId: 'Tax number',
    taxPercent: 'Tax rate (%)',
    taxHint: 'Contained in all prices of the tariffs.',
    topUpText: 'How to top up',
    topUpUrl: 'Address to top up at',
    topUpHint: 'Shown to customers beside their balance.',
  },
  de: {
    title: 'Verkäufer und Zahlungen',
    hint: 'Mit Name, Anschrift, Steuernummer und Steuersatz des Verkäufers werden monatliche Abrechnungen zu Rechnungen.',
    change: 'Angaben ändern',
    nothing: 'Nicht angegeben: Kunden bekommen Abrechnungen',
    sellerName: 'Verkäufer',
    sellerAddress: 'Anschrift',
    taxId: 'Steuernummer',
    taxPercent: 'Steuersatz (%)',
    taxHint: 'In allen Preisen der Tarife enthalten.',
    topUpText: 'So wird aufgeladen',
    topUpUrl: 'Adresse zum Aufladen',
    topUpHint: 'Sehen Kunden neben ihrem Guthaben.',
  },
})
