/** Folds a name for lookups: no case, Latin accents or inner signs. */
export function foldName(name: string): string {
  const small = name.toLowerCase();
  if (SMALL_LETTERS.test(small)) return small;
  let fold = '';
  for (let i = 0; i < small.length; i++) {
    const unit = small.charCodeAt(i);
    if (unit >= 0x61 && unit <= 0x7a) fold += small[i];
    else fold += unit < LATIN_END ? LATIN[unit] : unit === 0x2019 ? '' : small[i];
  }
  return fold;
}

const SMALL_LETTERS = /^[a-z]*$/;
const LATIN_END = 0x370;

/** Each Latin unit without its accent; marks and inner signs become empty. */
const LATIN: readonly string[] = Array.from({ length: LATIN_END }, (_, unit) => {
  const char = String.fromCharCode(unit);
  if (char === 'ı') return 'i';
  if (char === 'ß') return 'ss';
  return char.normalize('NFD').replace(/[\p{M}'.-]/gu, '');
});

export function nameSet(names: string): ReadonlySet<string> {
  return new Set(names.trim().split(/\s+/).map(foldName));
}

/** Communes, regions, countries and cities in the supported languages; a hyphen also matches a space. */
export const PLACES: ReadonlySet<string> = nameSet(`
  aalst aalter aarschot aartselaar affligem aiseau alken alost alveringem amay amblève amel andenne anderlecht anderlues andenne anhée ans anthisnes antoing antwerpen anvers antwerp anzegem
  ardooie arendonk arlon arel as assenede assesse ath attert aubange aubel auderghem oudergem audenarde avelgem awans aywaille baarle-hertog baelen balegem balen bassenge bastogne bastenaken beaumont
  beauraing beauvechain beernem beerse beersel begijnendijk bekkevoort beloeil berchem berchem-sainte-agathe sint-agatha-berchem berlaar berlare berloz bernissart bertem bertogne bertrix beveren beyne-heusay
  bierbeek bièvre bilzen binche blankenberge blégny bocholt boechout bonheiden boom boortmeerbeek borgloon bornem borsbeek bouillon boussu boutersem braine braine-l'alleud eigenbrakel braine-le-comte braives
  brakel brasschaat brecht bredene bree brugelette bruges brugge brügge brunehaut brussel bruxelles brussels brüssel buggenhout büllingen bullange burdinne burg-reuland bütgenbach butgenbach celles cerfontaine
  chapelle-lez-herlaimont charleroi chastre châtelet chaudfontaine chaumont-gistoux chièvres chimay chiny ciney clavier colfontaine comblain-au-pont comines courcelles courtrai kortrijk court-saint-étienne couvin crisnée
  dalhem damme daverdisse de-haan de-panne de-pinte deerlijk deinze denderleeuw dendermonde termonde dentergem dessel destelbergen diepenbeek diest diksmuide dilbeek dilsen-stokkem dinant dison doische donceel dour
  drogenbos duffel durbuy écaussinnes edegem eeklo éghezée ellezelles enghien edingen engis erezée erpe-mere erquelinnes esneux essen estaimpuis estinnes étalle etterbeek eupen evere evergem faimes farciennes
  fauvillers fernelmont ferrières fexhe flémalle fléron fleurus flobecq floreffe florennes florenville fontaine-l'évêque fosses-la-ville frameries frasnes froidchapelle ganshoren gavere gedinne geel geer gembloux genappe
  genk gent gand ghent geraardsbergen gerpinnes gesves gingelom gistel gooik gouvy grâce-hollogne grez-doiceau grimbergen grobbendonk haacht haaltert habay hal halen halle ham hamme hamoir hamois
  hannut harelbeke hasselt hastière havelange heers heist-op-den-berg hensies herbeumont herent herentals herenthout herk-de-stad herne héron herselt herstal herve herzele heusden heuvelland hoegaarden hoeilaart
  hoeselt holsbeek honnelles hooglede hoogstraten hotton houffalize houthalen houthulst houyet hove huldenberg hulshout huy ichtegem ieper ypres incourt ingelmunster ittre itter ixelles elsene izegem jabbeke jalhay jemeppe jette
  jodoigne juprelle jurbise kalmthout kampenhout kapellen kaprijke kasterlee keerbergen kelmis la-calamine kinrooi kluisbergen knesselare knokke knokke-heist koekelare koekelberg koksijde kontich kortemark kortenaken kortenberg kortessem kraainem
  kruibeke kruisem kuurne la-louvière louvière laakdal laarne lanaken landen langemark lasne lebbeke lede ledegem lendelede lennik léglise lens lessines leuven louvain leuze liège luik lüttich lier lierde libin libramont lichtervelde
  liedekerke lierneux lievegem lille limbourg lincent linkebeek lint linter lobbes lochristi lokeren lommel londerzeel lontzen lubbeek lummen maarkedal maaseik maasmechelen machelen maldegem malines malle malmedy manage manhay marche
  marche-en-famenne marchin martelange mechelen meerhout meeuwen meise meix-devant-virton melle menen menin merbes-le-château merchtem merelbeke merksplas messancy mettet meulebeke middelkerke modave moerbeke mol molenbeek sint-jans-molenbeek momignies mons bergen
  montigny-le-tilleul mont-de-l'enclus moorslede morlanwelz mortsel mouscron moeskroen musson namur namen nandrin nassogne nazareth neerpelt neufchâteau neupré nevele niel nieuwerkerken nieuwpoort nijlen ninove nivelles nijvel ohey
  olen olne onhaye oostende ostende ostend oosterzele oostkamp oostrozebeke opglabbeek opwijk oreye orp-jauche ottignies oud-heverlee oudenaarde oudenburg oud-turnhout oupeye overijse overpelt paliseul pecq peer pelt pepingen pepinster
  péruwelz perwez philippeville pittem plombières pont-à-celles poperinge profondeville putte puurs quaregnon quévy quiévrain raeren ramillies ranst ravels rebecq remicourt rendeux renaix ronse retie rhode-saint-genèse riemst rijkevorsel rixensart
  rochefort roeselare roulers roosdaal rotselaar rouvroy ruiselede rulles rumes rumst saint-gilles sint-gillis saint-ghislain saint-georges saint-hubert saint-josse saint-josse-ten-noode sint-joost-ten-node saint-léger saint-nicolas saint-vith sankt-vith sambreville
  schaerbeek schaarbeek schelle scherpenheuvel schilde schoten seneffe seraing silly sint-niklaas sint-truiden sint-pieters-leeuw sint-genesius-rode sint-martens-latem sint-katelijne-waver sivry soignies sombreffe somme-leuze soumagne spa spiere sprimont
  stabroek staden stavelot steenokkerzeel stekene stoumont tellin temse tenneville termonde ternat tervuren tessenderlo theux thimister thuin tielt tielt-winge tienen tirlemont tinlot tintigny tongeren tongres torhout tournai doornik tremelo trois-ponts trooz
  tubize turnhout uccle ukkel vaux-sur-sûre verlaine verviers veurne furnes vielsalm villers-la-ville vilvoorde vilvorde viroinval virton visé wezet vleteren voeren fourons vorselaar vorst forest vosselaar vresse waarschoot wachtebeke waimes weismes walcourt
  walhain wanze waregem waremme borgworm waterloo watermael-boitsfort watermaal-bosvoorde wavre waver welkenraedt wellen wellin wemmel wervik westerlo wetteren wevelgem wezembeek-oppem wichelen wielsbeke wijnegem willebroek wingene woluwe
  woluwe-saint-lambert woluwe-saint-pierre sint-lambrechts-woluwe sint-pieters-woluwe wommelgem wortegem wuustwezel yvoir zandhoven zaventem zedelgem zele zelzate zemst zingem zoersel zomergem zonhoven zonnebeke zottegem zoutleeuw zuienkerke zulte zutendaal zwalm
  zwevegem zwijndrecht guillemins bruxelles-midi bruxelles-nord bruxelles-central antwerpen-centraal
  belgique belgië belgien belgium flandre vlaanderen flandern flanders wallonie wallonië wallonien wallonia ostbelgien limburg brabant hainaut henegouwen hennegau luxembourg luxemburg
  france frankrijk frankreich allemagne duitsland deutschland germany pays-bas nederland niederlande netherlands royaume-uni united kingdom europe europa italie italien italy espagne spanje spanien spain portugal pologne polen poland
  roumanie roemenië rumänien romania bulgarie grèce griekenland griechenland greece turquie turkije türkei turkey maroc marokko morocco algérie tunisie syrie syrië syrien syria ukraine oekraïne russie rusland russland russia congo
  rwanda burundi cameroun kameroen sénégal guinée ghana nigeria inde india indien chine china japon japan iran irak iraq afghanistan pakistan suisse schweiz zwitserland switzerland autriche österreich oostenrijk austria irlande ireland
  brésil brazil canada états-unis usa paris lille lyon marseille strasbourg amsterdam rotterdam utrecht maastricht aachen aix-la-chapelle aken köln cologne keulen berlin hamburg münchen london londres londen dublin madrid lisboa rome roma milan
  athens athènes vienna genève geneva new york washington kyiv kiev kharkiv lviv odesa moscou moscow istanbul ankara casablanca rabat tanger tunis alger kinshasa kigali dakar conakry
`);
