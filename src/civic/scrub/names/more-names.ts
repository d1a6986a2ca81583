import { arabicSet } from './arabic-letters.ts';
import { nameSet } from './places.ts';

/** Given names of the Low Countries and their neighbours that are missing from the large lists; compiled for this detector. */
export const MORE_GIVEN_NAMES: ReadonlySet<string> = nameSet(`
  aagje aaltje adriaan adriaen aleida alida alwin annelien anneleen annelore annemie annemiek annick ans anske arie arjen arne arnout arthuur baptist barbel bart bartel bas bavo beatrijs berend berre bieke birgit boudewijn
  bram brecht britt caspar christa christiaan coen corneel daan danique danitsja davy delfine dieter dimitri dirk dorien dries edwin eefje eefke elien eline elke ellen els elsje emiel erwin evelien eveline evi evy fien fientje
  filip fleur floor floris fons frank fransje frederik freek fried frits geert geertje geertrui gerben gerda gerlinde gerrit gert gertrude gijs gilles-jan goedele greet greetje griet grietje gudrun gunter guus hadewijch hanneke
  hannelore hans harm hedwig heidi heleen hendrik herlinde hilde hilke ibe igor ilse imke ine inge ingeborg ingrid inneke iris isolde ivo jaak jaap jacoba jan jana janneke jannes janny jantje jarne jasmijn jasper jef jelena jelle
  jeroen jesse jo jochen joeri joep johannes jolien jolijn joost jop joris jorn joske jozef jozefien jurgen kaat karel karlien karlijn kasper kathleen katinka katja katleen katrien katrijn kato kim-ngan klaas klara kobe koen koenraad
  kris kristel kristien kristof kurt lander lars leen leentje lenie lennert leontien levi lien lies liesbet liesbeth lieselot lieselotte liesje lieve lieven linde line-marie lode lodewijk lore loes lotte lowie luca luk lutgard lut
  maaike maarten machteld machtelt maddy magda manu marc-antoine margriet marieke mariette marijke marijn marjan marjolein marleen marloes marnix mart martijn mathijs matthias matthijs mattis mauro meike melanie mia michiel mieke miet mirthe
  mieke milan mirjam moniek myrthe nand natasja neel nele nelleke niels niene nikolaas nina nonkel noor noortje oda olaf paulien peter petra-ann piet pieter pieterjan pim pol rani reinhilde reinier reinout renilde rik rika rina ria roel
  roeland roos roosje rudi rudy ruben rutger ruud saar sander sanne sarah-lynn seppe severine sien siebe sigrid sil silke simonne simon sjoerd sjors sofie staf stef stefaan stefan sterre stien stijn stine suze suzanne sven sybren tatjana teun
  theun thijs thomas tijl tijs tine tineke tinne tom toon trees trijn truus twan ulrike urbain valerie veerle vic viviane walter wannes ward warre wendy werner wessel wiebe wiet wilfried wilhelmina willem wim winnie wout wouter xander yannick yentl
  yoeri yves zita zjef bjorn jorg jurgen karsten kerstin heike heiko heinz hermann hildegard horst ingo jutta katharina klaus lothar manfred markus mechthild monika renate rolf rudiger sabine siegfried silvia steffen sybille thorsten torsten
  udo ulrich ursula uta volker waltraud wolfgang wiebke anke annegret bernd birte detlef dietmar eberhard eckhard elfriede frauke gerhard gisela gunther hartmut helga helmut ingeborg irmgard jochen jorn kai karin karl-heinz kathrin lieselotte
  achille adelin aurele bertille celestine cyriaque desiree dieudonne eloi emerance esperance eudoxie fabiola fidele gauthier gauvain ghislaine gontran hermine hyacinthe jacqueline joffrey josse julos lambert leonce leopoldine lorraine mahaut
  marie-jeanne maryse maxence melusine modeste nadege nestor noella octavie oriane perpetue philomene prosper quentin raissa rosalie severin solange sylvain sylviane thibaut thibault tiphaine ursuline venance viviane xavier yolande zephyrin zoe
  claudine aicha amine anissa assia aymane ayoub badr bilal chaimae dounia driss fadoua farida fouad ghita hafida hajar halima hamza hanane hassna hicham houda ibtissam ikram ilham imane ismail jamila kaoutar karima khadija laila lamia latifa loubna
  malika mehdi meryem mohamed mouna mounir mustapha nabil nadia naima najat najib nawal noura omar othmane rachida rachid rajae redouane rim sabah saida salma samira sanaa sihame siham soufiane soukaina souad tarik wafae wassim yasmina yassine youssef zakaria zineb zohra
  emre fatih gulsen hatice huseyin mehmet murat mustafa nuray ozlem selin serkan sevgi tugba yusuf zeynep bartosz grzegorz jadwiga katarzyna krzysztof malgorzata pawel piotr zbigniew bogdan cristina florin gheorghe ioana mihaela mircea adjoa kwame ngozi chukwu aminata fatoumata mamadou ousmane seydou
  chantal-marie jean-baptiste jean-claude jean-francois jean-luc jean-marc jean-marie jean-michel jean-paul jean-philippe jean-pierre marie-christine marie-claire marie-france marie-louise marie-therese anne-marie anne-sophie pieter-jan jan-willem
`);

/** Surnames of the Low Countries and of immigrants that are missing from the large lists; compiled for this detector. */
export const MORE_SURNAMES: ReadonlySet<string> = nameSet(`
  aerts bakkali baeten baert baetens bauwens beckers bekaert benhaddou berghmans boonen bosmans boutahar bracke buysse callens caluwaerts carlier casier ceulemans christiaens claes claessens claeys colpaert cools coppens cornelis cornet corthouts
  craeye cuypers daelman daems debacker debruyne declerck declercq decock deconinck degroote dehaene dekeyser delvaux demeester demuynck depoorter deprez deschamps desmet desmedt deschepper dewaele dewit dewitte dhaene dierckx driesen elbakkali
  engelen eeckhout feyaerts fierens fransen geens geerts geysen gielen gillis goossens goethals goris govaerts haddouchi hellemans hendrickx heylen heyvaert hermans heymans huybrechts huysmans ilegems jacobs jansen janssen janssens jespers joossens
  kerkhofs kiekens lambrechts lauwers leemans lemmens lenaerts leys lievens lhoest luyten luyckx maes maertens martens mbuyi meeus melis mertens meulemans michiels moens moons nachtergaele naessens neyens nijs nys nuyts ooms pauwels peeters penninckx
  peters plumacher poppe put quintelier raes raeymaekers renders roels roelandt rombouts roosen saelens schepers seghers segers sels sercu sels simons slegers smedt smets smeets snoeck staelens steyaert stevens stouten swinnen temmerman theunis
  theunissen thijs thys timmermans truyens uytterhoeven vaes verbeeck verbeke verbruggen verbist vercammen vercauteren vercruysse verdonck verelst verhaegen verhaeghe verheyen verhelst verhoeven verhulst verlinden vermeersch vermeire vermeiren
  verschueren verstraete verstraeten vervloet vissers vlaeminck vleugels vos vrancken wauters wellens willems wijnants winters wouters wuyts wyns ysebaert zwaenepoel boussaid bouchikhi elhaddad elmoussaoui benkirane ouchan azzouzi aouragh
  ndayishimiye nkurunziza uwimana mukasa habimana tshisekedi lumumba mwamba kabila sebastiao tshimanga ngandu
`);

/** Arabic given and family names that are missing from the large list, without everyday words. */
export const MORE_ARABIC_NAMES: ReadonlySet<string> = arabicSet(`
  محمد أحمد محمود مصطفى يوسف إبراهيم خديجة فاطمة عائشة زينب مريم ليلى حسين نادية سميرة نزيهة أميمة مليكة حورية فضيلة صليحة عتيقة نجلاء غزلان سارة رزان حنين أريج تسنيم إسراء آلاء شروق نورة تالا يارا جمانة هيفاء لجين سيرين ميادة عبلة صفاء رشا سحر نجيب لطفي خالد فهد ماجد سعود تركي مشعل بندر نواف عبدالقادر عبدالعزيز عبدالكريم عبدالسلام عبدالحق عبدالمجيد بوجمعة بوشعيب بنيونس التهامي بنعلي بلحاج بنسعيد
  مراد فتيحة كريمة جواد سفيان نعيمة فاروق أيهم سناء سمية عزيزة حميد رضوان زهير نورالدين عبدالله عبدالرحمن عبداللطيف سهيل أكرم أشرف أنور بدر ثامر حمود راشد رياض زاهر سيف شاكر صابر صفوان طلال ظافر عامر عبدو عماد عمرو غازي فؤاد قصي كنان لؤي مالك محسن مختار مرتضى معتز ممدوح منصور مؤمن ناصر نوفل هيثم وسام يزيد إلهام أروى ابتسام أحلام أفنان أمل ألفة بتول بهية ثريا جيهان حسناء حفصة خلود دعاء دنيا ديما راوية ربى رغد رندة ريهام زبيدة زكية سامية سندس شادية صباح ضحى عفاف علياء فاطنة فريدة فوزية قمر لبنى لينا مرام ميسون نادين ناهد نهى نورا هند وردة يمنى
  رشيدة سلوى طارق ياسين إدريس بوعزة دياب بنعيسى الرحيم عمار عثمان بلال أنس إلياس إسماعيل إسحاق يعقوب موسى عيسى زكريا يحيى داود سليمان هارون لقمان أيوب يونس حمزة عباس جعفر حيدر سلمان صهيب مصعب معاذ أسامة أيمن باسم بسام تامر جمال حاتم حسام خليل رامي رامز زياد سامر سامي
  شادي عادل عاصم عدنان عصام غسان فادي فارس فراس فيصل قاسم قيس كمال مازن ماهر مروان منذر مهند نادر نبيل نزار نضال هاني هشام وائل وسيم وليد ياسر أسماء آمنة إيمان بشرى بثينة تهاني جميلة حليمة حنان خولة دلال رانيا رحمة رقية رنا روان ريم زهرة سعاد سكينة سلمى سهام سهيلة سوسن شيماء صفية
  عبير غادة فاتن فدوى كوثر لمياء لطيفة ماجدة منال ميساء نجاة نجوى نوال هالة هاجر هناء وفاء وداد ياسمين يسرى العمراني الإدريسي الحداد الزعبي البكالي المنصوري العلوي الفاسي التازي السوسي الحسني الحموي الدمشقي البغدادي المصري الحلبي الشامي النجار الخطيب القاسمي الهاشمي
`);
