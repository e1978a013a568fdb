import { useLanguage } from '../words/use-text.tsx'

/** Cost of tokens: often below a thousandth of the currency, so two significant digits are shown. */
export const usePrice = (): ((cost: { amount: number; currency: string } | undefined) => string | undefined) => {
  const { language } = useLanguage()
  const locale = language === 'de' ? 'de-DE' : 'en-GB'
  return (cost) =>
    cost &&
    new Intl.NumberFormat(locale, {
      ...(cost.currency !== '' && { style: 'currency', currency: cost.currency }),
      minimumFractionDigits: 2,
      maximumFractionDigits: 6,
      maximumSignificantDigits: 2,
      roundingPriority: 'lessPrecision',
    }).format(cost.amount)
}
