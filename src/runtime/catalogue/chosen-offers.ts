import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { type ToolFilter, toolChooser } from '../../host/config/chosen-tools.ts';

/** Takes out of an offer the tools that the entry of its server leaves out. The answer is the same object as long as offer and entry are. */
export function offerChooser(
  filterOf: (server: string) => ToolFilter | undefined,
): (offer: ServerOffer) => ServerOffer {
  const known = new WeakMap<ServerOffer, { readonly filter: ToolFilter; readonly chosen: ServerOffer }>();
  return (offer) => {
    const filter = filterOf(offer.server);
    if (!filter) return offer;
    const last = known.get(offer);
    if (last?.filter === filter) return last.chosen;
    const chooses = toolChooser(filter);
    const chosen = chooses
      ? { ...offer, tools: offer.tools.filter(({ definition }) => chooses(definition.name)) }
      : offer;
    known.set(offer, { filter, chosen });
    return chosen;
  };
}
