import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { type ToolFilter, toolChooser } from '../../host/config/chosen-tools.ts';

/** Removes from an offer the tools that the server's entry excludes. Returns the same object while offer and entry are the same. */
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
