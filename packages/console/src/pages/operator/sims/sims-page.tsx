import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { SimCards } from './sim-cards.tsx'
import { SimOrders } from './sim-orders.tsx'
import { text } from './text.ts'

export const SimsPage = () => {
  const say = useText(text)
  return (
    <Page title={say.title} description={say.description}>
      <SimOrders />
      <SimCards />
    </Page>
  )
}
