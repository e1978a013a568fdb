import { useEffect } from 'react'
import { keep, kept } from '#api/kept.ts'
import { useMe } from '#api/use-me.ts'
import { languageFor } from '#words/languages.ts'
import { useLanguage } from '#words/use-text.tsx'

const noted = 'profileLanguage'

/** Who chose a language in their profile finds it wherever they log in. Another one that they choose here holds here, until the profile changes. */
export const useProfileLanguage = (): void => {
  const me = useMe()
  const { choose } = useLanguage()
  const wanted = me?.localeChosen ? `${me.id} ${me.locale}` : undefined
  useEffect(() => {
    if (me === undefined || wanted === undefined || kept(noted) === wanted) return
    keep(noted, wanted)
    choose(languageFor([me.locale]))
  }, [me, wanted, choose])
}
